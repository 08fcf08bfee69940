/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h -- the lines of a source file, found where the compiler, or the user, says it is.
 *
 * Debug data may name anything: only regular files of a sensible size that hold text are read, and
 * what is printed of them must go through pp_source_print().
 */
#ifndef PP_ANNOTATE_SOURCE_TEXT_H
#define PP_ANNOTATE_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/annotate/reader.h"
#include "pp/session/spec.h"

#define PP_MAX_SOURCE	(64u << 20)	/* bytes; longer files are no source code */

struct pp_source_places {		/* borrowed */
	const char *root;		/* prefix of recorded paths, tried first; NULL: none */
	const struct pp_values *search;	/* directories to look in */
	const struct pp_values *base;	/* prefixes of recorded paths, taken off before that */
};

struct pp_source_text {
	char *path;		/* where it was found */
	int64_t mtime;
	uint64_t device, inode;
	int is_public;		/* everybody may read it */
	const char *data;	/* the whole file, not NUL terminated */
	const char **lines;	/* nr + 1 starts: line i (from 0) is [lines[i], lines[i + 1]) */
	size_t nr;
};

/*
 * Finds and reads the file that debug data calls @recorded, for the owner of that debug data. -ENOENT:
 * nowhere; -EINVAL: no regular file; -EFBIG: more than PP_MAX_SOURCE; -EILSEQ: holds zero bytes, so it
 * is no text; -EPERM: @reader may not; -ENOMEM; another negative errno when it cannot be read.
 */
int pp_source_text_read(struct pp_source_text *ret, const char *recorded,
			const struct pp_source_places *places, const struct pp_reader *reader);
/* Takes a zeroed struct. */
void pp_source_text_release(struct pp_source_text *text);
/* A sentence for what pp_source_text_read() returned. */
const char *pp_source_strerror(int err);

/* Line @line, from 1 on, without its end; *@len its length. NULL: the file is shorter. */
const char *pp_source_line(const struct pp_source_text *text, uint32_t line, size_t *len);

/* Prints text of a source file; what would steer a terminal becomes '?', tabs stay. */
void pp_source_print(FILE *out, const char *text, size_t len);

/* @recorded without the longest of the prefixes in @base (whole components), and without leading
 * slashes: what --output-dir and --search-dirs put behind a directory. */
const char *pp_source_below_base(const char *recorded, const struct pp_values *base);

#endif
