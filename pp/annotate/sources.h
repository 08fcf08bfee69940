/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h -- the samples of a profile by source file and line, summed over all binaries.
 *
 * A sample counts for the line of its instruction. Code of an inlined function counts for the lines
 * of that function. A call of an allocator counts for the line that needed the memory
 * (call_sites.h). Samples without a line are summed separately, so that all sums add up to the
 * profile's entries exactly.
 */
#ifndef PP_ANNOTATE_SOURCES_H
#define PP_ANNOTATE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "pp/profile/call_sites.h"
#include "pp/profile/profile.h"

struct pp_source_count {
	uint32_t line;
	uint64_t *counts;
};

/* A function whose code begins in a line of the source file. */
struct pp_source_symbol {
	uint32_t line;
	uint32_t code;		/* index of the function's code in the profile */
	/* all samples of the function, including samples in code inlined from other files */
	const uint64_t *counts;
};

struct pp_source_file {
	const char *path;	/* the source file's path in debug data, without "." and ".." */
	uint64_t *counts;
	struct pp_source_count *lines;	/* source lines with samples, in ascending order */
	size_t nr_lines;
	/* functions with samples, sorted by line, then samples */
	struct pp_source_symbol *symbols;
	size_t nr_symbols;
	/* index of a binary with code of the source file, preferably a binary that root owns */
	uint32_t binary;
};

struct pp_sources {
	size_t nr_classes;
	/* source files with samples, sorted by samples, most first */
	struct pp_source_file *files;
	size_t nr_files;
	uint64_t *counts;	/* sum over all files, one number for each class (event) */
	/* for each binary of the profile: counts of its samples without a line */
	uint64_t **unlined;
	/* sum of .counts and .unlined, which equals the number of samples in the profile */
	uint64_t *total;
	struct pp_source_count *count_items; /* memory of the .lines arrays of all source files */
	struct pp_source_symbol *symbol_items;
	struct pp_block *blocks;
	struct pp_block *strings;
};

/* Sum the samples of @profile by source line in *@ret, which the caller destroys. @profile must
 * have sampled addresses and source lines. @callers may be NULL. @profile, @callers and all that
 * @callers points to must outlive *@ret. Return 0 or -ENOMEM. */
int pp_sources_make(struct pp_sources **ret, const struct pp_profile *profile,
		    const struct pp_callers *callers);
/* Free @sources, which may be NULL. */
void pp_sources_destroy(struct pp_sources *sources);

/* Return a copy of @path without ".", double slashes, and ".." after a directory, malloc'd, or NULL
 * if out of memory. */
char *pp_source_clean_path(const char *path);

#endif
