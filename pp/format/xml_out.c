// SPDX-License-Identifier: GPL-2.0-or-later
/* xml_out.c -- the five characters that mean something. */
#include "config.h"
#include "pp/format/xml_out.h"

#include "libop/base/clean.h"

void pp_xml_text(FILE *out, const char *text)
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

void pp_xml_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	pp_xml_text(out, text);
	putc('"', out);
}
