/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated.h -- opannotate's output: source and assembly with counts.
 *
 * A line is "COUNT PERCENT [COUNT PERCENT...] :TEXT", with one pair of numbers for each class of
 * samples; percentages are shares of the whole profile, as in opreport --symbols. The counts of all
 * lines, and the counts that the summary lists as without a line, add up to the counts of the
 * profile's entries.
 */
#ifndef PP_FORMAT_ANNOTATED_H
#define PP_FORMAT_ANNOTATED_H

#include <stdbool.h>

#include "pp/annotate/source_cache.h"
#include "pp/annotate/sources.h"
#include "pp/annotate/tree.h"
#include "pp/format/format.h"

struct pp_annotated_options {
	bool source;			/* with .assembly: show source lines between instructions */
	bool assembly;
	/* patterns of source files to show, and of source files to leave out; NULL or empty: show
	 * all files */
	const struct pp_values *include_files, *exclude_files;
	/* prefixes that are removed from paths in an output tree */
	const struct pp_values *base_dirs;
	/* minimum share of a file, or of a symbol with .assembly, in percent */
	double threshold;
	const char *words; /* options of the disassembler, as for objdump -M; NULL: no options */
	bool bytes;			/* show machine code beside the instructions */
	/* show all lines of source files, even lines far from samples */
	bool whole_files;
	bool raw_names;			/* do not demangle names in instructions */
	bool color;
};

struct pp_annotated {
	const struct pp_report *report;	/* the profile; its entries have details and lines */
	const struct pp_annotated_options *options;
	struct pp_source_cache *cache;
	/* the source files that have samples; NULL with .assembly */
	const struct pp_sources *sources;
	struct pp_log *progress;	/* log that shows the progress; NULL: do not show it */
	/* output directory, which gets a file for each source file; NULL: write to .out */
	struct pp_tree *tree;
};

/* Write a report. Return 0, or a negative errno with the reason in the log; an empty report is an
 * error. The caller checks ferror() of the output. */
int pp_annotated_source(const struct pp_annotated *a);
int pp_annotated_assembly(const struct pp_annotated *a);

/* Output that annotated source and annotated assembly have in common. */

struct pp_columns {
	const struct pp_profile *profile;
	int count_width;
	int blank_width;
	bool color;
};

void pp_columns_init(struct pp_columns *ret, const struct pp_annotated *a);
/* Print "COUNT PERCENT... :". If @counts is NULL, print blanks of the same width, and " :". */
void pp_columns_print(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* Print "COUNT PERCENT..." without colours. */
void pp_columns_numbers(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* Print " / * NAME total: COUNT PERCENT... * /", without the blanks inside the comment marks. */
void pp_columns_symbol(const struct pp_columns *columns, FILE *out, const char *name,
		       const uint64_t *counts);

/* Print a name from an untrusted file inside a comment. Replace control characters, and the mark
 * that ends a comment. */
void pp_print_in_comment(FILE *out, const char *text);

/* Print the comment at the start of a report: the command line and its interpretation, the events,
 * the losses, and the meaning of the columns. */
int pp_annotated_header(const struct pp_annotated *a, FILE *out);

/* Return whether a source file passes --include-file and --exclude-file. @path is NULL if the
 * file is unknown. */
bool pp_annotated_wants(const struct pp_annotated_options *options, const char *path);

#endif
