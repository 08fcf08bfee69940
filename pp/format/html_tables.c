// SPDX-License-Identifier: GPL-2.0-or-later
/* html_tables.c -- the tables of programs, symbols, and images with their symbols. */
#include "config.h"
#include "pp/format/html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libop/base/plural.h"
#include "libop/base/xml.h"
#include "pp/format/clip.h"
#include "pp/format/html_time.h"
#include "pp/format/walk.h"
#include "pp/join/diff.h"
#include "pp/profile/arcs.h"
#include "pp/profile/short_titles.h"

static void begin_table(const struct pp_html *html, const char *caption, bool has_totals,
			const char *names)
{
	fprintf(html->out,
		"<div class=wide><table class=\"sortable names%s\">\n<caption>%s</caption>\n"
		"<thead><tr>",
		html->profile->nr_counts > 1 ? " many" : "", caption);
	if (has_totals)
		pp_html_total_heads(html);
	pp_html_count_heads(html);
	fprintf(html->out, "%s</thead>\n<tbody>\n", names);
}

static void end_table(const struct pp_html *html)
{
	fputs("</tbody>\n</table></div>\n", html->out);
}

/* Start tags of cells with names. MAIN: cell with the row's own name. OF: cell with the name of the
 * row's image or program; a narrow screen shows this cell below the row's name. */
#define MAIN "<td class=t"
#define OF "<td class=o"

/* Write a cell with a shortened path, and the whole path as its tooltip. */
static void put_path_cell(const struct pp_html *html, const char *cell, const char *path)
{
	const char *name =
		html->report->options->long_filenames ? path : pp_short_title(html->profile, path);

	fputs(cell, html->out);
	if (name != path)
		op_xml_attribute(html->out, "title", path);
	putc('>', html->out);
	op_xml_text(html->out, name);
}

/* number of characters that fit on two lines on the screen of a phone */
#define NARROW_NAME	38

/* Write a function's name. For narrow screens also write the end of the name, which has the
 * function without its scopes. */
static void put_code_name(const struct pp_html *html, const struct pp_code *code)
{
	char buf[PP_CLIP_MAX];
	const char *clipped = code->kind == PP_CODE_SYMBOL
				      ? pp_clip_name(buf, code->name, NARROW_NAME)
				      : code->name;

	if (clipped == code->name) {
		op_xml_text(html->out, code->name);
		return;
	}
	fputs("<span class=whole>", html->out);
	op_xml_text(html->out, code->name);
	fputs("</span><span class=clip>", html->out);
	op_xml_text(html->out, clipped);
	fputs("</span>", html->out);
}

static void put_code_cell(const struct pp_html *html, uint32_t code)
{
	const char *name = html->profile->codes[code].name;

	fputs(MAIN, html->out);
	op_xml_attribute(html->out, "title", name);
	putc('>', html->out);
	if (pp_html_is_hot(html, code))
		fprintf(html->out, "<a href=\"#code-%" PRIu32 "\">", code);
	put_code_name(html, &html->profile->codes[code]);
	if (pp_html_is_hot(html, code))
		fputs("</a>", html->out);
}

/* Limit of the rows in a list, and number and samples of the rows beyond the limit, which the page
 * shows as one sum. */
struct limit {
	size_t max, rows;
	size_t nr_left;
	uint64_t left[PP_MAX_CLASSES];
};

/* Return whether to add a row with @counts to the table. Return false if @rank is 0 in all columns,
 * or if the table is full; count the rows that do not fit. */
static bool has_room(struct limit *limit, const struct pp_html *html, const uint64_t *counts,
		     const uint64_t *rank)
{
	if (pp_html_largest_share(html, rank) <= 0)
		return false;
	if (limit->rows++ < limit->max)
		return true;
	limit->nr_left++;
	for (size_t i = 0; i < html->profile->nr_classes; i++)
		limit->left[i] += counts[i];
	return false;
}

static void put_rest(const struct pp_html *html, const char *one, const char *many,
		     const struct limit *limit)
{
	uint64_t sum = 0;

	if (!limit->nr_left)
		return;
	for (size_t i = 0; i < html->profile->nr_classes; i++)
		sum += limit->left[i];
	fprintf(html->out, "<p class=\"soft rest\">%zu more %s, with %" PRIu64 " %s, %s not shown; "
			   "choose with a profile specification, or use --format=csv.</p>\n",
		limit->nr_left, op_plural(limit->nr_left, one, many), sum,
		op_plural(sum, "sample", "samples"),
		op_plural(limit->nr_left, "is", "are"));
}

static void put_program_row(const struct pp_html *html, const char *class, const uint64_t *counts,
			    const char *app, const char *image)
{
	fprintf(html->out, "<tr%s>", class);
	pp_html_time_row(html, app, image, PP_NO_CODE);
	pp_html_counts(html, counts);
	put_path_cell(html, image ? OF : MAIN, app);
	if (image)
		put_path_cell(html, MAIN, image);
	else
		fputs("<td class=\"o soft\">all images", html->out);
	putc('\n', html->out);
}

/* Write a program and its images as one table body, which the script sorts as a unit. If a program
 * has samples in only one image, write a single line. */
static void put_program(const struct pp_html *html, const struct pp_app *app, struct limit *limit)
{
	const char *class = "";

	if (limit->rows && limit->rows < limit->max)
		fputs("</tbody>\n<tbody>\n", html->out);
	if (app->nr_dependents > 1 && limit->rows < limit->max) {
		put_program_row(html, " class=sum", app->counts, app->app, NULL);
		class = " class=part";
	}
	for (size_t i = 0; i < app->nr_dependents; i++)
		if (has_room(limit, html, app->dependents[i].counts, app->dependents[i].counts))
			put_program_row(html, class, app->dependents[i].counts, app->app,
					app->dependents[i].image);
}

void pp_html_programs(const struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	struct limit limit = { .max = PP_HTML_MAX_PROGRAMS };

	fputs("<section id=programs aria-labelledby=programs-title>\n"
	      "<h2 id=programs-title>Programs</h2>\n", html->out);
	begin_table(html, "What each program did in its own code, in libraries and in the kernel",
		    false, "<th scope=col>program<th scope=col>image");
	for (size_t i = 0; i < profile->nr_apps; i++)
		put_program(html, &profile->apps[i], &limit);
	end_table(html);
	put_rest(html, "line", "lines", &limit);
	fputs("</section>\n", html->out);
}

/* Write a row with the sum of the functions that --significant hides. */
static void put_hidden(const struct pp_html *html)
{
	char title[PP_HIDDEN_TITLE];

	pp_hidden_title(title, html->report);
	fputs("<tr>", html->out);
	pp_html_counts(html, html->profile->diff->hidden);
	fprintf(html->out, MAIN ">%s" OF ">" OF ">\n", title);
}

void pp_html_symbols(const struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	struct limit limit = { .max = PP_HTML_MAX_SYMBOLS };

	fputs("<section id=symbols aria-labelledby=symbols-title>\n"
	      "<h2 id=symbols-title>Symbols</h2>\n", html->out);
	begin_table(html,
		    profile->has_totals
			    ? "Functions with all that they called, and themselves, by program"
			    : "Functions, by program",
		    profile->has_totals,
		    "<th scope=col>symbol<th scope=col>image<th scope=col>program");
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_group *group = pp_entry_group(profile, entry);

		if (!has_room(&limit, html, entry->counts, pp_entry_rank(profile, entry)))
			continue;
		fputs("<tr>", html->out);
		pp_html_time_row(html, group->app, group->image, entry->code);
		if (profile->has_totals)
			pp_html_counts(html, pp_entry_total(profile, entry));
		pp_html_counts(html, entry->counts);
		put_code_cell(html, entry->code);
		put_path_cell(html, OF, group->image);
		put_path_cell(html, OF, group->app);
		putc('\n', html->out);
	}
	if (profile->diff && profile->diff->nr_hidden)
		put_hidden(html);
	end_table(html);
	put_rest(html, "symbol", "symbols", &limit);
	fputs("</section>\n", html->out);
}

/* The functions of all images, sorted by image, then samples. */
struct by_image {
	const struct pp_html_code **codes;
	/* for each binary: index of its first function; the last element is the number of
	 * functions */
	size_t *first;
};

static int group_by_image(struct by_image *ret, const struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	size_t *first = calloc(profile->nr_binaries + 2, sizeof(*first));
	const struct pp_html_code **codes = calloc(html->nr_codes + 1, sizeof(*codes));

	if (!first || !codes) {
		free(first);
		free(codes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < html->nr_codes; i++)
		first[profile->codes[html->codes[i].code].binary + 2]++;
	for (size_t i = 2; i < profile->nr_binaries + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < html->nr_codes; i++)
		codes[first[profile->codes[html->codes[i].code].binary + 1]++] = &html->codes[i];
	*ret = (struct by_image){ codes, first };
	return 0;
}

/* size of a buffer for the text of print_counts() before an image's name */
#define SAYS PP_HTML_SHARE

/* Write the share of @counts to @buf, such as "12.34%". In a differential profile, write the
 * change, such as "+120 samples". */
static void print_counts(const struct pp_html *html, const uint64_t *counts, char buf[SAYS])
{
	const struct pp_profile *profile = html->profile;
	int64_t change = 0;

	if (!html->report->before) {
		pp_html_share(html, counts, buf);
		return;
	}
	for (size_t i = 0; i < profile->nr_classes; i++)
		change += (int64_t)(counts[i] - pp_diff_before(profile, counts)[i]);
	snprintf(buf, SAYS, "%+" PRId64 " samples", change);
}

static void put_image(const struct pp_html *html, const struct by_image *by, size_t binary)
{
	const uint64_t *counts = &html->binary_counts[binary * html->profile->nr_counts];
	struct limit limit = { .max = PP_HTML_MAX_IN_IMAGE };
	char says[SAYS];

	pp_html_time_image(html, html->profile->binaries[binary].title);
	print_counts(html, counts, says);
	fputs("<details class=image data-name=\"", html->out);
	op_xml_text(html->out, html->profile->binaries[binary].title);
	fprintf(html->out, "\"><summary>%s ", says);
	op_xml_text(html->out, html->profile->binaries[binary].title);
	fputs("</summary>\n", html->out);
	begin_table(html, "Functions, all programs together", false, "<th scope=col>symbol");
	for (size_t i = by->first[binary]; i < by->first[binary + 1]; i++) {
		if (!has_room(&limit, html, by->codes[i]->counts, by->codes[i]->counts))
			continue;
		fputs("<tr>", html->out);
		pp_html_time_row(html, NULL, NULL, by->codes[i]->code);
		pp_html_counts(html, by->codes[i]->counts);
		put_code_cell(html, by->codes[i]->code);
		putc('\n', html->out);
	}
	end_table(html);
	put_rest(html, "symbol", "symbols", &limit);
	fputs("</details>\n", html->out);
}

struct ranked_image {
	double rank;
	size_t binary;
};

static int compare_images(const void *a, const void *b)
{
	const struct ranked_image *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

int pp_html_images(const struct pp_html *html)
{
	size_t nr = html->profile->nr_binaries, classes = html->profile->nr_counts;
	struct ranked_image *images = calloc(nr + 1, sizeof(*images));
	struct limit limit = { .max = PP_HTML_MAX_IMAGES };
	struct by_image by = { NULL, NULL };

	if (!images)
		return -ENOMEM;
	if (group_by_image(&by, html)) {
		free(images);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		images[i] = (struct ranked_image){
			pp_html_rank(html, &html->binary_counts[i * classes]), i };
	qsort(images, nr, sizeof(*images), compare_images);
	fputs("<section id=images aria-labelledby=images-title>\n"
	      "<h2 id=images-title>Images</h2>\n", html->out);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts = &html->binary_counts[images[i].binary * classes];

		if (has_room(&limit, html, counts, counts))
			put_image(html, &by, images[i].binary);
	}
	put_rest(html, "image", "images", &limit);
	fputs("</section>\n", html->out);
	free(by.codes);
	free(by.first);
	free(images);
	return 0;
}
