/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated_parts.h -- what annotated source and annotated assembly share.
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

/* Prints a name from a hostile file inside a comment: it neither steers the terminal nor ends the
 * comment. */
void pp_print_in_comment(FILE *out, const char *text);

/* The comment a report begins with: command line, what it made of it, events, losses, columns. */
int pp_annotated_header(const struct pp_annotated *a, FILE *out);

/* Does a source file pass --include-file and --exclude-file? @path may be NULL: not known. */
bool pp_annotated_wants(const struct pp_annotated_options *options, const char *path);

#endif
