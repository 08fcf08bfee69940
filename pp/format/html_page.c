// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_page.c -- sums and ranks of functions, and table cells with counts and shares.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/html.h"
#include "pp/format/html_time.h"
#include "pp/format/text.h"
#include "pp/join/diff.h"

double pp_html_largest_share(const struct pp_html *html, const uint64_t *counts)
{
	const uint64_t *totals = html->profile->totals;
	double largest = 0;

	for (size_t i = 0; i < pp_shown_counts(html->profile); i++)
		if (totals[i] && (double)counts[i] / totals[i] > largest)
			largest = (double)counts[i] / totals[i];
	return largest;
}

double pp_html_rank(const struct pp_html *html, const uint64_t *counts)
{
	return html->report->before ? (double)pp_diff_size(html->profile, counts) :
				      pp_html_largest_share(html, counts);
}

struct ranked {
	double rank;
	struct pp_html_code code;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return x->code.code < y->code.code ? -1 : x->code.code > y->code.code;
}

static void sum_codes(struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	size_t classes = profile->nr_counts, nr;
	const struct pp_entry *entries = pp_code_entries(profile, &nr);
	/* The profile's rows (entries) lack the functions that --significant hides, but the sums of
	 * programs and images (groups) include these functions. */
	bool by_group = profile->diff && profile->diff->nr_hidden;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		uint32_t binary = profile->codes[entry->code].binary;

		for (size_t c = 0; c < classes; c++) {
			html->code_counts[entry->code * classes + c] += entry->counts[c];
			if (!by_group)
				html->binary_counts[binary * classes + c] += entry->counts[c];
		}
	}
	for (size_t i = 0; i < profile->nr_groups && by_group; i++)
		for (size_t c = 0; c < classes; c++)
			html->binary_counts[profile->groups[i].binary * classes + c] +=
				profile->groups[i].counts[c];
	for (size_t i = 0; i < nr && !html->report->before; i++)
		for (size_t c = 0; c < classes; c++)
			html->hot_counts[entries[i].code * classes + c] += entries[i].counts[c];
}

/* Store the functions with samples in @ret, sorted by rank. @counts: counts of all functions.
 * Return the number of stored functions, or -ENOMEM. */
static ssize_t rank_codes(struct pp_html_code *ret, const struct pp_html *html,
			  uint64_t *all_counts)
{
	const struct pp_profile *profile = html->profile;
	struct ranked *ranked = calloc(profile->nr_codes + 1, sizeof(*ranked));
	size_t nr = 0;

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_codes; i++) {
		uint64_t *counts = &all_counts[i * profile->nr_counts];

		if (pp_has_counts(counts, profile->nr_counts))
			ranked[nr++] = (struct ranked){ pp_html_rank(html, counts), { i, counts } };
	}
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < nr; i++)
		ret[i] = ranked[i].code;
	free(ranked);
	return nr;
}

/* Choose the functions whose source and assembly the page shows. Return 0 or -ENOMEM. */
static int find_hot(struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	struct pp_html_code *codes = calloc(profile->nr_codes + 1, sizeof(*codes));
	ssize_t nr = codes ? rank_codes(codes, html, html->hot_counts) : -ENOMEM;

	for (ssize_t i = 0; i < nr && html->nr_hot < PP_HTML_MAX_HOT; i++)
		if (profile->codes[codes[i].code].kind == PP_CODE_SYMBOL)
			html->hot[html->nr_hot++] = codes[i];
	free(codes);
	return nr < 0 ? (int)nr : 0;
}

int pp_html_begin(struct pp_html *html, const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	size_t classes = profile->nr_counts;
	ssize_t nr;
	int err = pp_stacks_make(&html->stacks, report);

	if (err)
		return err;
	html->report = report;
	html->profile = profile;
	html->out = report->out;
	html->codes = calloc(profile->nr_codes + 1, sizeof(*html->codes));
	html->code_counts = calloc((profile->nr_codes + 1) * classes, sizeof(uint64_t));
	html->hot_counts = calloc((profile->nr_codes + 1) * classes, sizeof(uint64_t));
	html->binary_counts = calloc((profile->nr_binaries + 1) * classes, sizeof(uint64_t));
	if (!html->codes || !html->hot_counts || !html->code_counts || !html->binary_counts)
		return -ENOMEM;
	err = pp_html_time_create(&html->time, html);
	if (err)
		return err;
	sum_codes(html);
	nr = rank_codes(html->codes, html, html->code_counts);
	if (nr < 0)
		return (int)nr;
	html->nr_codes = (size_t)nr;
	return find_hot(html);
}

void pp_html_end(struct pp_html *html)
{
	pp_stacks_release(&html->stacks);
	pp_html_time_destroy(html->time);
	free(html->codes);
	free(html->code_counts);
	free(html->hot_counts);
	free(html->binary_counts);
}

bool pp_html_is_hot(const struct pp_html *html, uint32_t code)
{
	for (size_t i = 0; i < html->nr_hot; i++)
		if (html->hot[i].code == code)
			return true;
	return false;
}

void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE])
{
	const uint64_t *totals = html->profile->totals;
	char percent[PP_PERCENT_SIZE];
	size_t largest = 0;

	for (size_t i = 1; i < pp_shown_counts(html->profile); i++)
		if (!totals[largest] || (unsigned __int128)counts[i] * totals[largest] >
		    (unsigned __int128)counts[largest] * totals[i])
			largest = i;
	pp_percent(percent, counts[largest], totals[largest]);
	snprintf(buf, PP_HTML_SHARE, "%s%%", percent + strspn(percent, " "));
}

static void put_change(const struct pp_html *html, const uint64_t *counts, size_t class)
{
	char change[PP_TEXT_CHANGE], low[PP_TEXT_CHANGE], high[PP_TEXT_CHANGE];

	pp_text_change(change, html->report, counts, class);
	pp_text_interval(low, high, html->report, counts, class);
	fprintf(html->out, "<td class=n>%" PRIu64 "<td class=n>%s",
		pp_diff_before(html->profile, counts)[class], change);
	if (html->profile->diff->classes[class].is_sampled)
		fprintf(html->out, " <span class=soft>%s to %s</span>", low, high);
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
