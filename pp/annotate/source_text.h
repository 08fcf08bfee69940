/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h -- the lines of a source file, found by the compiler's path or by the user's
 * options.
 *
 * Debug data may name any file, so only regular files of limited size that hold text are read.
 * Print their lines by pp_source_print().
 */
#ifndef PP_ANNOTATE_SOURCE_TEXT_H
#define PP_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/annotate/reader.h"
#include "pp/session/spec.h"

/* limit of a source file's size, in bytes; longer files are not source code */
#define PP_MAX_SOURCE	(64u << 20)

/* Where to look for source files. All members are borrowed. */
struct pp_source_places {
	/* directory that precedes recorded paths and is tried first; NULL: none */
	const char *root;
	const struct pp_values *search;	/* directories in which source files are searched */
	/* prefixes of recorded paths that are removed before the search */
	const struct pp_values *base;
};

struct pp_source_text {
	char *path;		/* path of the file that was found */
	int64_t mtime;
	uint64_t device, inode;
	bool is_public;		/* each user may read the source file */
	const char *data;	/* contents of the whole file, without a NUL at the end */
	/* starts of the .nr lines, followed by the end of the last line: line i, counted from 0,
	 * reaches from lines[i] up to lines[i + 1] */
	const char **lines;
	size_t nr;
};

/*
 * Find and read the file that debug data names @recorded, for the owner of that debug data. Return
 * 0; -ENOENT: not found; -EINVAL: not a regular file; -EFBIG: larger than PP_MAX_SOURCE; -EILSEQ:
 * not text, because it has zero bytes; -EPERM: @reader may not read it; or another negative errno.
 */
int pp_source_text_read(struct pp_source_text *ret, const char *recorded,
			const struct pp_source_places *places, const struct pp_reader *reader);
/* @text may be zeroed. */
void pp_source_text_release(struct pp_source_text *text);
/* Return words for an error of pp_source_text_read(). */
const char *pp_source_strerror(int err);

/* Return line @line, counted from 1, without its newline, and its length in *@len; or NULL if
 * the file is shorter. */
const char *pp_source_line(const struct pp_source_text *text, uint32_t line, size_t *len);

/* Print text of a source file. Replace control characters other than tabs by '?'. */
void pp_source_print(FILE *out, const char *text, size_t len);

/* Return @recorded without the longest prefix in @base (whole components) and without leading
 * slashes. --output-dir and --search-dirs append the result to a directory. */
const char *pp_source_below_base(const char *recorded, const struct pp_values *base);

#endif
