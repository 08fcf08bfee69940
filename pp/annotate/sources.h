/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h -- the samples of a profile by source file and line, whichever binary they fell into.
 *
 * A sample counts for the line its instruction came from: code of an inlined function for the lines
 * of that function. What is counted in calls of an allocator counts for the line that needed the memory: see callers.h.
 * What has no line is kept apart, so the sum of all lines and of what is kept
 * apart is the sum of the profile's entries, exactly.
 */
#ifndef PP_ANNOTATE_SOURCES_H
#define PP_ANNOTATE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "pp/profile/callers.h"
#include "pp/profile/profile.h"

struct pp_source_count {
	uint32_t line;
	uint64_t *counts;
};

/* A function whose first line is in this file. */
struct pp_source_symbol {
	uint32_t line;
	uint32_t code;		/* index into the profile's */
	const uint64_t *counts;	/* everything in it, also what was inlined from other files */
};

struct pp_source_file {
	const char *path;	/* as debug data has it, without "." and ".." */
	uint64_t *counts;
	struct pp_source_count *lines;	/* with samples, ascending */
	size_t nr_lines;
	struct pp_source_symbol *symbols;	/* with samples, by line, most first */
	size_t nr_symbols;
	uint32_t binary;	/* index: one of those its code is in, root's if there is one */
};

struct pp_sources {
	size_t nr_classes;
	struct pp_source_file *files;	/* most samples first */
	size_t nr_files;
	uint64_t *counts;	/* of all files */
	uint64_t **unlined;	/* by binary of the profile: its samples without a line */
	uint64_t *total;	/* .counts and .unlined: all entries */
	struct pp_source_count *count_items;	/* own the arrays of the files */
	struct pp_source_symbol *symbol_items;
	struct pp_block *blocks;
	struct pp_block *strings;
};

/* Create *@ret. @profile must have details and lines. It must outlive *@ret, as must @callers,
 * which may be NULL, with all that it points to. Return 0 or -ENOMEM. */
int pp_sources_make(struct pp_sources **ret, const struct pp_profile *profile, const struct pp_callers *callers);
/* Takes NULL. */
void pp_sources_destroy(struct pp_sources *sources);

/* malloc'd: @path without ".", ".." (as far as there is something to go back from) and double
 * slashes. NULL: out of memory. */
char *pp_source_clean_path(const char *path);

#endif
