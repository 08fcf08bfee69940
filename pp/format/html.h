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

/* Limits, because browsers cannot open a page with all symbols. The page shows how many lines it
 * omits. */
#define PP_HTML_MAX_SYMBOLS	2000	/* maximum number of rows in the list of symbols */
#define PP_HTML_MAX_PROGRAMS	500
#define PP_HTML_MAX_IMAGES	100	/* maximum number of images whose symbols the page lists */
/* maximum number of rows in the list of one image's symbols */
#define PP_HTML_MAX_IN_IMAGE	100
/* maximum number of functions whose source and assembly the page shows */
#define PP_HTML_MAX_HOT		20
/* maximum number of lines of source, and of lines of assembly, for one function */
#define PP_HTML_MAX_CODE_LINES	600
/* maximum number of nodes in the page's graph of call paths */
#define PP_HTML_MAX_NODES	100000

/* A function with its samples in all programs. */
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
	struct pp_html_code *codes;	/* all functions with samples, sorted by rank */
	size_t nr_codes;
	/* functions whose source and assembly the page shows, sorted by rank */
	struct pp_html_code hot[PP_HTML_MAX_HOT];
	size_t nr_hot;
	/* memory of the counts in .codes (.code_counts) and in .hot (.hot_counts), indexed by
	 * function, then event */
	uint64_t *code_counts, *hot_counts;
	uint64_t *binary_counts; /* for each binary: sum of the counts of its functions in .codes */
	struct pp_html_time *time;	/* samples over time; NULL: the page has no time line */
};

/* Sum the functions' samples over all programs, and rank the functions. Return 0 or -ENOMEM. */
int pp_html_begin(struct pp_html *html, const struct pp_report *report);
/* Free the contents of @html, which may be zeroed. */
void pp_html_end(struct pp_html *html);

/* Return whether the page shows the function's source and assembly. */
bool pp_html_is_hot(const struct pp_html *html, uint32_t code);
/* Return the largest share of @counts in any column, on either side (before or after) of a
 * differential profile. */
double pp_html_largest_share(const struct pp_html *html, const uint64_t *counts);
/* Return the value by which functions are ranked in descending order: the share of @counts or, in a
 * differential profile, the change. */
double pp_html_rank(const struct pp_html *html, const uint64_t *counts);

/* Cells of the page's tables. */

/* Write the cells "count" and "percent" for each event. In a differential profile, also write the
 * count before and the change. */
void pp_html_counts(const struct pp_html *html, const uint64_t *counts);
/* Write the heads of the columns that pp_html_counts() writes. */
void pp_html_count_heads(const struct pp_html *html);
/* Write the heads of the columns of inclusive totals, which precede the columns of counts. */
void pp_html_total_heads(const struct pp_html *html);

#define PP_HTML_SHARE	(PP_PERCENT_SIZE + 1)

/* Write the largest share that @counts have in any column to @buf, such as "12.3456%". */
void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE]);

/* Write the table of programs. */
void pp_html_programs(const struct pp_html *html);
/* Write the table of symbols. */
void pp_html_symbols(const struct pp_html *html);
/* Write the table of images. Return 0 or -ENOMEM. */
int pp_html_images(const struct pp_html *html);

/* Write the HTML elements of the call graph and of the help. */
void pp_html_graph(const struct pp_html *html);
/* Write the data for the page's script. Return 0 or -ENOMEM. */
int pp_html_data(const struct pp_html *html);

/* Source and assembly of the functions with most samples, in the page. */

/* Write source and assembly of the functions with most samples. Return 0 or -ENOMEM. */
int pp_html_code(const struct pp_html *html);

#endif
