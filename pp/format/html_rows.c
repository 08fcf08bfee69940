// SPDX-License-Identifier: GPL-2.0-or-later
/* html_rows.c -- rows of source lines and instructions. */
#include "config.h"
#include "pp/format/html_rows.h"

#include "libop/base/xml.h"
#include "pp/format/html_cells.h"

/* Return the heat of a line, 0 to 5, relative to the hottest line. */
static unsigned int heat(double share, double hottest)
{
	return share <= 0 ? 0 : hottest <= 0 ? 1 : 1 + (unsigned int)(4 * share / hottest);
}

static void put_empty_counts(const struct pp_html *html)
{
	for (size_t i = 0; i < html->profile->nr_classes; i++)
		fputs("<td class=n><td class=n>", html->out);
}

void pp_html_begin_row(const struct pp_html *html, const uint64_t *counts, double hottest)
{
	unsigned int h = counts ? heat(pp_html_largest_share(html, counts), hottest) : 0;

	if (h)
		fprintf(html->out, "<tr class=h%u>", h > 5 ? 5 : h);
	else
		fputs("<tr>", html->out);
	if (counts)
		pp_html_counts(html, counts);
	else
		put_empty_counts(html);
}

void pp_html_begin_code(const struct pp_html *html, const char *caption, const char *file,
			const char *first)
{
	fputs("<div class=wide><table class=code>\n<caption>", html->out);
	fputs(caption, html->out);
	if (file)
		op_xml_text(html->out, file);
	fputs("</caption>\n<thead><tr>", html->out);
	pp_html_count_heads(html);
	fprintf(html->out, "<th scope=col class=n>%s<th scope=col>text</thead>\n<tbody>\n", first);
}

void pp_html_gap(const struct pp_html *html)
{
	fputs("<tr class=gap>", html->out);
	put_empty_counts(html);
	fputs("<td class=n><td>&#8943;\n", html->out);
}

void pp_html_end_code(const struct pp_html *html, int cut)
{
	fputs("</tbody>\n</table></div>\n", html->out);
	if (cut)
		fputs("<p class=soft>The rest is not shown; opannotate shows all.</p>\n",
		      html->out);
}

void pp_html_note(const struct pp_html *html, const char *before, const char *name,
		     const char *behind)
{
	fprintf(html->out, "<p class=soft>%s", before);
	op_xml_text(html->out, name);
	fprintf(html->out, "%s</p>\n", behind);
}
