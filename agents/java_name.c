// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * java_name.c -- conversion of JVM descriptors (JVM specification, section 4.3) to Java notation.
 */
#include "config.h"
#include "agents/java_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *basic_type(char c)
{
	switch (c) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'V': return "void";
	case 'Z': return "boolean";
	default: return NULL;
	}
}

/* Write the type descriptor at @p in Java notation. Return a pointer to the byte after the
 * descriptor, or NULL if @p is not a descriptor. */
static const char *put_type(FILE *out, const char *p)
{
	size_t dimensions = strspn(p, "[");
	const char *name;

	p += dimensions;
	name = basic_type(*p);
	if (name) {
		fputs(name, out);
		p++;
	} else if (*p == 'L' && strchr(p, ';')) {
		for (p++; *p != ';'; p++)
			putc(*p == '/' ? '.' : *p, out);
		p++;
	} else {
		return NULL;
	}
	while (dimensions--)
		fputs("[]", out);
	return p;
}

static void put_parameters(FILE *out, const char *signature)
{
	const char *p = signature;

	if (*p != '(') {
		fputs(signature, out);
		return;
	}
	putc('(', out);
	for (p++; *p && *p != ')'; ) {
		const char *end;

		if (p != signature + 1)
			fputs(", ", out);
		end = put_type(out, p);
		if (!end) {
			fputs(p, out);
			return;
		}
		p = end;
	}
	putc(')', out);
}

char *opa_java_name(const char *class_signature, const char *method, const char *signature)
{
	char *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (!out)
		return NULL;
	if (!put_type(out, class_signature))
		fputs(class_signature, out);
	fprintf(out, ".%s", method);
	put_parameters(out, signature);
	if (!fclose(out))
		return name;
	free(name);
	return NULL;
}

char *opa_java_source(const char *class_signature, const char *file)
{
	const char *package = class_signature + (*class_signature == 'L'),
		   *end = strrchr(package, '/');
	char *path;

	return asprintf(&path, "%.*s%s", end ? (int)(end - package + 1) : 0, package, file) < 0 ?
		       NULL :
		       path;
}
