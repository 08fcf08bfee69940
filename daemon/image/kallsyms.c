// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms.c -- reading of the kernel's list of symbols, line by line.
 */
#include "config.h"
#include "daemon/image/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Split a line "ADDRESS TYPE NAME[\t[MODULE]]\n", in place. */
static int parse(char *line, struct opd_kallsym *sym)
{
	char *p, *end;

	sym->address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return -EINVAL;
	sym->type = end[1];
	sym->name = p = end + 3;
	sym->module = NULL;
	p += strcspn(p, "\t\n");
	if (p == sym->name)
		return -EINVAL;
	if (*p == '\t' && p[1] == '[') {
		*p = '\0';
		sym->module = p + 2;
		p = strchr(p + 2, ']');
		if (!p)
			return -EINVAL;
	}
	*p = '\0';
	return 0;
}

int opd_kallsyms_read(const char *path, void (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg)
{
	struct opd_kallsym sym;
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");
	int err;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		if (parse(line, &sym) == 0)
			fn(arg, &sym);
	err = ferror(f) ? -EIO : 0;
	free(line);
	fclose(f);
	return err;
}
