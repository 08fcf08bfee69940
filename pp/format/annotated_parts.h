/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated_parts.h -- common parts of annotated source and annotated assembly.
 */
#ifndef PP_FORMAT_ANNOTATED_PARTS_H
#define PP_FORMAT_ANNOTATED_PARTS_H

#include <stdbool.h>

#include "pp/format/annotated.h"

struct pp_columns {
	const struct pp_profile *profile;
	int count_width;
	int blank_width;
	int color;
};

void pp_columns_init(struct pp_columns *ret, const struct pp_annotated *a);
/* "COUNT PERCENT... :", or as many blanks and " :" without counts. */
void pp_columns_print(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* "COUNT PERCENT...", without colours. */
void pp_columns_numbers(const struct pp_columns *columns, FILE *out, const uint64_t *counts);
/* " / * NAME total: COUNT PERCENT... * /", without the blanks in the marks. */
void pp_columns_symbol(const struct pp_columns *columns, FILE *out, const char *name,
		       const uint64_t *counts);

/* Print a name from an untrusted file inside a comment. Replace control characters, and text
 * that would end the comment. */
void pp_print_in_comment(FILE *out, const char *text);

/* Print the comment at the start of a report: command line, its interpretation, events, losses,
 * columns. */
int pp_annotated_header(const struct pp_annotated *a, FILE *out);

/* Return whether a source file passes --include-file and --exclude-file. @path is NULL if the
 * file is unknown. */
bool pp_annotated_wants(const struct pp_annotated_options *options, const char *path);

#endif
