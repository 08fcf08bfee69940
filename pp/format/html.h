/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h -- the parts of the HTML format, and their common data: the profile with its functions
 * summed over all programs, and ranked.
 *
 * The page is one file that loads no other file: its policy allows only the script and the style in
 * it. All text from a profile is written by op_xml_text() or op_json_string().
 */
#ifndef PP_FORMAT_HTML_H
#define PP_FORMAT_HTML_H

#include <stdbool.h>

#include "pp/format/format.h"
#include "pp/format/percent.h"
#include "pp/format/stacks.h"

/* Limits, because browsers cannot open a page of all symbols. The page says how much is left
 * out. */
#define PP_HTML_MAX_SYMBOLS	2000	/* lines of the list of symbols */
#define PP_HTML_MAX_PROGRAMS	500
#define PP_HTML_MAX_IMAGES	100	/* images with a table */
#define PP_HTML_MAX_IN_IMAGE	100	/* lines of each */
#define PP_HTML_MAX_HOT		20	/* functions with source and assembly */
#define PP_HTML_MAX_CODE_LINES	600	/* lines of each source and each assembly */
#define PP_HTML_MAX_NODES	4000	/* of the graph */

/* A function with the samples of all programs. */
struct pp_html_code {
	uint32_t code;
	uint64_t *counts;
};

struct pp_html {
	const struct pp_report *report;
	const struct pp_profile *profile;
	FILE *out;
	struct pp_stacks stacks;
	struct pp_html_code *codes;	/* with samples, by rank */
	size_t nr_codes;
	struct pp_html_code hot[PP_HTML_MAX_HOT];	/* functions whose code is shown, by rank */
	size_t nr_hot;
	uint64_t *code_counts, *hot_counts;	/* counts of .codes and .hot, by code */
	uint64_t *binary_counts;	/* by binary: sums of .codes */
};

/* Sum and rank functions. Return 0 or -ENOMEM. */
int pp_html_begin(struct pp_html *html, const struct pp_report *report);
/* Takes a zeroed struct. */
void pp_html_end(struct pp_html *html);

/* Return whether the function's source and assembly are shown. */
bool pp_html_is_hot(const struct pp_html *html, uint32_t code);
/* Return the largest share of @counts in a class (and a side of a differential profile). */
double pp_html_largest_share(const struct pp_html *html, const uint64_t *counts);
/* Return the rank of @counts, largest first: the share or, in a differential profile, the
 * change. */
double pp_html_rank(const struct pp_html *html, const uint64_t *counts);

/* Table cells that several tables of the page have. */

/* Write the cells "count" and "percent" of each class; write their heads. */
void pp_html_counts(const struct pp_html *html, const uint64_t *counts);
void pp_html_count_heads(const struct pp_html *html);
/* Print the heads of the cells of totals, which precede those cells. */
void pp_html_total_heads(const struct pp_html *html);

#define PP_HTML_SHARE	(PP_PERCENT_SIZE + 1)

/* "12.3456%" of the class with the largest share. */
void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE]);

/* The tables of programs, symbols, and images with their symbols. */

void pp_html_programs(const struct pp_html *html);
void pp_html_symbols(const struct pp_html *html);
int pp_html_images(const struct pp_html *html);	/* 0 or -ENOMEM */

/* Source and assembly of the hottest functions. */

int pp_html_code(const struct pp_html *html);	/* 0 or -ENOMEM */

#endif
