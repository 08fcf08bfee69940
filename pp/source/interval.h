/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h -- a sum of intervals in memory (intervals/interval.h) as a source. Sample files and
 * trees of call paths are groups and trees in memory; all other files of the session are in a
 * samples directory.
 */
#ifndef PP_SOURCE_INTERVAL_H
#define PP_SOURCE_INTERVAL_H

#include "intervals/interval.h"
#include "pp/source/source.h"

/* Create a source from *@v, which must be sorted, and move *@v into it. @samples_dir: the directory
 * with the other files. Return 0, or -ENOMEM with *@v unchanged. */
int pp_source_of_interval(struct pp_source **ret, const char *samples_dir, struct itv *v);

/*
 * Call @fn for each sample file or, with @trees, for each tree of call paths in a sum of intervals.
 * @path: the path that the file or tree would have in a samples directory; NULL if its name is not
 * valid there. @item: its number for struct pp_source_part. Return 0, the first nonzero result of
 * @fn, or another negative errno.
 */
int pp_interval_each(const struct pp_source *source, bool trees,
		     int (*fn)(void *arg, const char *path, uint32_t item), void *arg);

#endif
