// SPDX-License-Identifier: GPL-2.0-or-later
/* html_cells.c -- table cells with counts and shares. */
#include "config.h"
#include "pp/format/html_cells.h"

#include <inttypes.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/text_cells.h"
#include "pp/join/diff.h"

void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE])
{
	const uint64_t *totals = html->profile->totals;
	char percent[PP_PERCENT_SIZE];
	size_t largest = 0;

	for (size_t i = 1; i < html->profile->nr_counts; i++)
		if (!totals[largest] || (unsigned __int128)counts[i] * totals[largest] >
		    (unsigned __int128)counts[largest] * totals[i])
			largest = i;
	pp_percent(percent, counts[largest], totals[largest]);
	snprintf(buf, PP_HTML_SHARE, "%s%%", percent + strspn(percent, " "));
}

static void put_change(const struct pp_html *html, const uint64_t *counts, size_t class)
{
	char change[PP_TEXT_CHANGE];

	pp_text_change(change, html->report, counts, class);
	fprintf(html->out, "<td class=n>%" PRIu64 "<td class=n>%s",
		pp_diff_before(html->profile, counts)[class], change);
}

void pp_html_counts(const struct pp_html *html, const uint64_t *counts)
{
	for (size_t i = 0; i < html->profile->nr_classes; i++) {
		char percent[PP_PERCENT_SIZE];

		pp_percent(percent, counts[i], html->profile->totals[i]);
		fprintf(html->out, "<td class=n>%" PRIu64 "<td class=n>%s", counts[i],
			percent + strspn(percent, " "));
		if (html->report->before)
			put_change(html, counts, i);
	}
}

void pp_html_total_heads(const struct pp_html *html)
{
	const struct pp_classes *classes = &html->report->session->classes;

	for (size_t i = 0; i < classes->nr; i++) {
		char label[256];

		pp_class_label(label, sizeof(label), &classes->items[i]);
		fputs("<th scope=col class=n>", html->out);
		if (classes->nr > 1) {
			op_xml_text(html->out, label);
			putc(' ', html->out);
		}
		fputs("total<th scope=col class=n>%", html->out);
	}
}

void pp_html_count_heads(const struct pp_html *html)
{
	const struct pp_classes *classes = &html->report->session->classes;

	for (size_t i = 0; i < classes->nr; i++) {
		char label[256];

		pp_class_label(label, sizeof(label), &classes->items[i]);
		fputs("<th scope=col class=n>", html->out);
		op_xml_text(html->out, classes->nr > 1 ? label : pp_class_unit(classes->items));
		fputs("<th scope=col class=n>%", html->out);
		if (html->report->before)
			fputs("<th scope=col class=n>before<th scope=col class=n>diff %",
			      html->out);
	}
}
