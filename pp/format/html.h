/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h -- the parts of the HTML format, and their common data: the profile with its functions
 * summed over all programs, and ranked.
 *
 * The page is one file that loads no other file: its content security policy allows only the script
 * and the style that it contains. All text from a profile is written by op_xml_text() or
 * op_json_string().
 */
#ifndef PP_FORMAT_HTML_H
#define PP_FORMAT_HTML_H

#include <stdbool.h>

#include "pp/format/format.h"
#include "pp/format/percent.h"
#include "pp/format/stacks.h"

/* Limits, because browsers cannot open a page with all symbols. The page shows how many lines are
 * left out. */
#define PP_HTML_MAX_SYMBOLS	2000	/* maximum number of lines in the list of symbols */
#define PP_HTML_MAX_PROGRAMS	500
#define PP_HTML_MAX_IMAGES	100	/* maximum number of images whose symbols are listed */
/* maximum number of lines in the list of an image's symbols */
#define PP_HTML_MAX_IN_IMAGE	100
/* maximum number of functions whose source and assembly are shown */
#define PP_HTML_MAX_HOT		20
/* maximum number of lines of source, and of assembly, of one function */
#define PP_HTML_MAX_CODE_LINES	600
#define PP_HTML_MAX_NODES	100000	/* maximum number of nodes in the graph */

/* A function with the samples of all programs. */
struct pp_html_code {
	uint32_t code;
	uint64_t *counts;
};

struct pp_html_time;

struct pp_html {
	const struct pp_report *report;
	const struct pp_profile *profile;
	FILE *out;
	struct pp_stacks stacks;
	struct pp_html_code *codes;	/* functions with samples, in order of rank */
	size_t nr_codes;
	/* functions whose code is shown, in order of rank */
	struct pp_html_code hot[PP_HTML_MAX_HOT];
	size_t nr_hot;
	/* counts of the functions in .codes and .hot, indexed by code */
	uint64_t *code_counts, *hot_counts;
	uint64_t *binary_counts;	/* for each binary, the sum of the counts in .codes */
	struct pp_html_time *time;	/* samples by time; NULL: the page has no time line */
};

/* Sum and rank functions. Return 0 or -ENOMEM. */
int pp_html_begin(struct pp_html *html, const struct pp_report *report);
/* Release the struct. Accepts a zeroed struct. */
void pp_html_end(struct pp_html *html);

/* Return whether the function's source and assembly are shown. */
bool pp_html_is_hot(const struct pp_html *html, uint32_t code);
/* Return the largest share that @counts has in any class, of both sides of a differential
 * profile. */
double pp_html_largest_share(const struct pp_html *html, const uint64_t *counts);
/* Return a value by which functions are ranked, largest first: the share of @counts or, in a
 * differential profile, the change. */
double pp_html_rank(const struct pp_html *html, const uint64_t *counts);

/* Cells of the tables of the page. */

/* Write the cells "count" and "percent" of each class, or the heads of these columns. */
void pp_html_counts(const struct pp_html *html, const uint64_t *counts);
void pp_html_count_heads(const struct pp_html *html);
/* Print the heads of the columns of totals, which are left of the columns of counts. */
void pp_html_total_heads(const struct pp_html *html);

#define PP_HTML_SHARE	(PP_PERCENT_SIZE + 1)

/* Store a percentage such as "12.3456%": the share in the class where it is largest. */
void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE]);

/* The tables of programs, symbols, and images with their symbols. */

void pp_html_programs(const struct pp_html *html);
void pp_html_symbols(const struct pp_html *html);
/* Write the table of images. Return 0 or -ENOMEM. */
int pp_html_images(const struct pp_html *html);

/* The graph. */

/* Write the elements of the graph and the help. */
void pp_html_graph(const struct pp_html *html);
/* Write the data for the page's script. Return 0 or -ENOMEM. */
int pp_html_data(const struct pp_html *html);

/* Source and assembly of the functions with the most samples. */

/* Write the source and assembly of hot functions. Return 0 or -ENOMEM. */
int pp_html_code(const struct pp_html *html);

#endif
