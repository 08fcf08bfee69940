// SPDX-License-Identifier: GPL-2.0-or-later
/* xml.c -- output of text in XML: escapes for the five special characters. */
#include "config.h"
#include "libop/base/xml.h"

#include "libop/base/clean.h"

void op_xml_text(FILE *out, const char *text)
{
	char buf[OP_CLEAN_MAX];

	for (text = op_clean(buf, sizeof(buf), text); *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

void op_xml_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	op_xml_text(out, text);
	putc('"', out);
}

void op_xml_comment(FILE *out, const char *text)
{
	char buf[OP_CLEAN_MAX];

	fputs("<!-- ", out);
	for (text = op_clean(buf, sizeof(buf), text); *text; text++) {
		putc(*text, out);
		if (text[0] == '-' && text[1] == '-')	/* XML comments must not contain "--" */
			putc(' ', out);
	}
	fputs(" -->", out);
}
