/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated.h -- opannotate's output: source and assembly with counts.
 *
 * A line is "COUNT PERCENT [COUNT PERCENT...] :TEXT", with one pair of numbers for each class of
 * samples. Percentages are shares of the whole profile, as in opreport --symbols. All lines, and
 * the samples without a line in the summary, add up to the profile's entries.
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
	/* globs of source files to include and to exclude; NULL or empty: all files */
	const struct pp_values *include_files, *exclude_files;
	/* prefixes to remove from paths of source files in an output tree */
	const struct pp_values *base_dirs;
	/* smallest share of the samples, in percent, of a source file that is shown; with
	 * .assembly: of a symbol that is shown */
	double threshold;
	const char *words; /* options for the disassembler, as for objdump -M; NULL: none */
	bool bytes;			/* show machine code beside the instructions */
	/* show all lines of a source file, even far from samples */
	bool whole_files;
	bool raw_names; /* do not demangle the names of jump targets in instructions */
	bool color;
};

struct pp_annotated {
	/* the report to annotate, whose profile has sampled addresses and source lines */
	const struct pp_report *report;
	const struct pp_annotated_options *options;
	struct pp_source_cache *cache;
	/* source files with samples, which are annotated; NULL with .assembly */
	const struct pp_sources *sources;
	struct pp_log *progress; /* log that shows the progress of the work; NULL: do not show it */
	/* output directory, with a file for each source file; NULL: write to .out */
	struct pp_tree *tree;
};

/* Write annotated source files. Return 0, or a negative errno with the reason in the log. An empty
 * report is an error. The caller checks ferror() of the output. */
int pp_annotated_source(const struct pp_annotated *a);
/* Like pp_annotated_source(), but write annotated assembly. */
int pp_annotated_assembly(const struct pp_annotated *a);

/* Columns of counts, in annotated source and in annotated assembly. */

struct pp_columns {
	const struct pp_profile *profile;
	int count_width;
	int blank_width;
	bool color;
};

void pp_columns_init(struct pp_columns *ret, const struct pp_annotated *a);
/* Print "COUNT PERCENT... :" for a line. If @counts is NULL, print blanks instead of the
 * numbers. */
void pp_columns_print(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* Print the numbers of one row as "COUNT PERCENT..." without colours. */
void pp_columns_numbers(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* Print the line "NAME total: COUNT PERCENT..." for a function, as a comment of the source
 * language. */
void pp_columns_symbol(const struct pp_columns *columns, FILE *out, const char *name,
		       const uint64_t *counts);

/* Print a name from an untrusted file inside a comment. Replace control characters and text that
 * would end the comment. */
void pp_print_in_comment(FILE *out, const char *text);

/* Print the comment at the start of a report: command line, selected samples, events, losses,
 * meaning of the columns. Return 0 or a negative errno. */
int pp_annotated_header(const struct pp_annotated *a, FILE *out);

/* Return whether a source file passes --include-file and --exclude-file. @path: NULL if the file is
 * unknown. */
bool pp_annotated_wants(const struct pp_annotated_options *options, const char *path);

#endif
