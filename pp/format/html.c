// SPDX-License-Identifier: GPL-2.0-or-later
/* html.c -- the page around the parts. */
#include "config.h"
#include "pp/format/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/facts.h"
#include "pp/format/html_assets.h"
#include "pp/format/percent.h"
#include "pp/format/text_cells.h"
#include "pp/profile/diff.h"

double pp_html_largest_share(const struct pp_html *html, const uint64_t *counts)
{
	const uint64_t *totals = html->profile->totals;
	double largest = 0;

	for (size_t i = 0; i < html->profile->nr_counts; i++)
		if (totals[i] && (double)counts[i] / totals[i] > largest)
			largest = (double)counts[i] / totals[i];
	return largest;
}

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

double pp_html_rank(const struct pp_html *html, const uint64_t *counts)
{
	return html->report->before ? (double)pp_diff_size(html->profile, counts) :
				      pp_html_largest_share(html, counts);
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

void pp_html_count_heads(const struct pp_html *html)
{
	const struct pp_classes *classes = &html->report->session->classes;

	for (size_t i = 0; i < classes->nr; i++) {
		char label[256];

		pp_class_label(label, sizeof(label), &classes->items[i]);
		fputs("<th scope=col class=n>", html->out);
		op_xml_text(html->out, classes->nr > 1 ? label : "samples");
		fputs("<th scope=col class=n>%", html->out);
		if (html->report->before)
			fputs("<th scope=col class=n>before<th scope=col class=n>diff %", html->out);
	}
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
	size_t classes = profile->nr_counts;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		uint32_t binary = profile->codes[entry->code].binary;

		for (size_t c = 0; c < classes; c++) {
			html->code_counts[entry->code * classes + c] += entry->counts[c];
			html->binary_counts[binary * classes + c] += entry->counts[c];
		}
	}
}

static int rank_codes(struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	struct ranked *ranked = calloc(profile->nr_codes + 1, sizeof(*ranked));
	size_t nr = 0;

	if (!ranked)
		return -1;
	for (size_t i = 0; i < profile->nr_codes; i++) {
		uint64_t *counts = &html->code_counts[i * profile->nr_counts];

		if (pp_has_counts(counts, profile->nr_counts))
			ranked[nr++] = (struct ranked){ pp_html_rank(html, counts), { i, counts } };
	}
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < nr; i++) {
		html->codes[i] = ranked[i].code;
		html->code_rank[ranked[i].code.code] = i;
	}
	html->nr_codes = nr;
	for (size_t hot = 0; !html->report->before && html->hot_end < nr && hot < PP_HTML_MAX_HOT; html->hot_end++)
		hot += profile->codes[html->codes[html->hot_end].code].kind == PP_CODE_SYMBOL;
	free(ranked);
	return 0;
}

int pp_html_begin(struct pp_html *html, const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	size_t classes = profile->nr_counts;
	int err = pp_stacks_make(&html->stacks, report);

	if (err)
		return err;
	html->report = report;
	html->profile = profile;
	html->out = report->out;
	html->codes = calloc(profile->nr_codes + 1, sizeof(*html->codes));
	html->code_rank = calloc(profile->nr_codes + 1, sizeof(*html->code_rank));
	html->code_counts = calloc((profile->nr_codes + 1) * classes, sizeof(uint64_t));
	html->binary_counts = calloc((profile->nr_binaries + 1) * classes, sizeof(uint64_t));
	if (!html->codes || !html->code_rank || !html->code_counts || !html->binary_counts)
		return pp_oom(report->log);
	for (size_t i = 0; i < profile->nr_codes; i++)
		html->code_rank[i] = SIZE_MAX;
	sum_codes(html);
	return rank_codes(html) ? pp_oom(report->log) : 0;
}

void pp_html_end(struct pp_html *html)
{
	pp_stacks_release(&html->stacks);
	free(html->codes);
	free(html->code_rank);
	free(html->code_counts);
	free(html->binary_counts);
}

static void put_head(const struct pp_html *html)
{
	fprintf(html->out,
		"<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
		"script-src 'sha256-" HTML_JS_SHA256 "'; "
		"style-src 'sha256-" HTML_CSS_SHA256 "'; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=generator content=\"" PACKAGE_STRING "\">\n"
		"<title>opreport</title>\n<style>%s</style>\n</head>\n<body>\n",
		html_css);
}

/* Losses are what a reader must not overlook. */
static int put_facts(const struct pp_html *html)
{
	char *text = pp_facts_text(html->report), *rest = text, *line;

	if (!text)
		return pp_oom(html->report->log);
	fputs("<header>\n<h1>Profile</h1>\n<p class=soft><code>", html->out);
	op_xml_text(html->out, html->report->command);
	fputs("</code></p>\n<ul>\n", html->out);
	while ((line = strsep(&rest, "\n"))) {
		int warns = strstr(line, "WARNING") || !strncmp(line, "  lost", 6);

		if (!*line)
			continue;
		fputs(warns ? "<li class=warn>" : "<li>", html->out);
		op_xml_text(html->out, line + strspn(line, " "));
		putc('\n', html->out);
	}
	fputs("</ul>\n</header>\n", html->out);
	free(text);
	return 0;
}

static void put_tools(const struct pp_html *html)
{
	int is_diff = html->report->before != NULL;

	fputs("<nav aria-label=\"Parts\"><a href=\"#programs\">Programs</a>"
	      "<a href=\"#symbols\">Symbols</a><a href=\"#images\">Images</a>", html->out);
	fputs(is_diff ? "</nav>\n" : "<a href=\"#code\">Code</a></nav>\n", html->out);
	fputs("<div class=\"tools script\" role=search hidden>"
	      "<label for=filter>Show lines with</label> <input id=filter type=search "
	      "placeholder=\"words of names\"> <span id=says role=status></span></div>\n"
	      "<section id=flame class=script aria-labelledby=flame-title hidden>\n"
	      "<h2 id=flame-title>Programs, images, symbols</h2>\n"
	      "<p><label for=search>Search</label> <input id=search type=search> "
	      "<select id=class aria-label=\"Kind of samples\"></select> "
	      "<button id=reset type=button>Show all</button></p>\n"
	      "<p class=soft>The width is the share of samples", html->out);
	fputs(is_diff ? " after; red had a smaller share before, blue a larger one." : ".", html->out);
	fputs(" Click to zoom; arrow keys move.</p>\n"
	      "<div id=flame-graph class=flame role=group aria-labelledby=flame-title></div>\n"
	      "<p id=flame-says role=status></p>\n</section>\n",
	      html->out);
}

static int write_html(const struct pp_report *report)
{
	struct pp_html html = { 0 };
	int err = pp_html_begin(&html, report);

	if (!err) {
		put_head(&html);
		err = put_facts(&html);
	}
	if (!err) {
		put_tools(&html);
		fputs("<main>\n", html.out);
		pp_html_programs(&html);
		pp_html_symbols(&html);
		err = pp_html_images(&html);
	}
	if (!err && !report->before)
		err = pp_html_code(&html);
	if (!err) {
		fputs("</main>\n", html.out);
		err = pp_html_data(&html);
	}
	if (!err)
		fprintf(html.out, "<script>%s</script>\n</body>\n</html>\n", html_js);
	pp_html_end(&html);
	return err;
}

const struct pp_format_ops pp_format_html = {
	.name = "html",
	.what = "one page with tables, code and a graph",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS | PP_NEED_ARCS,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_TASK_ROWS | PP_FORMAT_DIFF,
	.write = write_html,
};
