/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h -- the lines of a source file, which is found by the compiler's path or by the
 * user's options.
 *
 * Debug data may name any file, so only regular text files of limited size are read. Print their
 * lines with pp_source_print().
 */
#ifndef PP_ANNOTATE_SOURCE_TEXT_H
#define PP_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/annotate/reader.h"
#include "pp/session/spec.h"

/* maximum size of a source file, in bytes; larger files are not source code */
#define PP_MAX_SOURCE	(64u << 20)

/* Where to search source files. The caller owns all members. */
struct pp_source_places {
	/* prefix of recorded paths, which is tried first; NULL: none */
	const char *root;
	const struct pp_values *search;	/* directories to search for source files */
	/* prefixes to remove from recorded paths before the search in .search */
	const struct pp_values *base;
};

struct pp_source_text {
	char *path;		/* path where the source file was found */
	int64_t mtime;
	uint64_t device, inode;
	bool is_public;		/* all users may read the source file */
	const char *data;	/* contents of the file, without a NUL at the end */
	/* starts of the .nr lines in .data, followed by the end of the last line: line i, counted
	 * from 0, is from lines[i] up to lines[i + 1] */
	const char **lines;
	size_t nr;
};

/*
 * Find and read the source file that debug data calls @recorded. @reader: the owner of the debug
 * data. Return 0, -ENOENT if not found, -EINVAL if not a regular file, -EFBIG if larger than
 * PP_MAX_SOURCE, -EILSEQ if it has zero bytes and so is not text, -EPERM if @reader may not read
 * it, or another negative errno. The caller releases *@ret.
 */
int pp_source_text_read(struct pp_source_text *ret, const char *recorded,
			const struct pp_source_places *places, const struct pp_reader *reader);
/* Free the contents of @text, which may be zeroed. */
void pp_source_text_release(struct pp_source_text *text);
/* Return a description of an error of pp_source_text_read(). */
const char *pp_source_strerror(int err);

/* Return line @line, counted from 1, without newline, and store its length in *@len. Return NULL if
 * the file is shorter. */
const char *pp_source_line(const struct pp_source_text *text, uint32_t line, size_t *len);

/* Print @len bytes of a source file. Replace control characters except tabs by '?'. */
void pp_source_print(FILE *out, const char *text, size_t len);

/* Return @recorded without leading slashes, and without the longest prefix in @base (whole
 * components only). --output-dir and --search-dirs append the result to a directory. */
const char *pp_source_below_base(const char *recorded, const struct pp_values *base);

#endif
