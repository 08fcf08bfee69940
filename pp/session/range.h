/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- ranges of time: the intervals of a host (intervals/store.h) that overlap the periods
 * of the tag time:, and the closed and the current session, are added up in a temporary samples
 * directory for each kernel. The other stages read these directories as any session.
 *
 * Intervals are used as a whole: the first and the last one may reach beyond the period.
 */
#ifndef PP_SESSION_RANGE_H
#define PP_SESSION_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/time_words.h"
#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

struct itv;
struct itv_gap;

/* A part of the range: an interval, a closed session or the current session. */
struct pp_range_part {
	int64_t begin, end;		/* UTC, seconds since 1970 */
	unsigned int step;		/* as in struct itv_entry */
};

struct pp_range {
	struct op_period *asked;	/* sorted by begin */
	size_t nr_asked;
	struct pp_range_part *parts;	/* sorted by begin */
	size_t nr_parts;
	struct itv_gap *gaps;		/* times in the periods without samples, sorted */
	size_t nr_gaps;
	/* the coarsest precision of the addresses (enum itv_precision), the samples with call
	 * paths, and those of them whose path is incomplete because a tree was reduced */
	unsigned int precision;
	uint64_t paths, folded;
	char **samples_dirs;		/* paths of the samples directories to read */
	size_t nr_samples_dirs;
	char *dir;			/* the temporary directory, or NULL */
	bool is_memory_full;		/* .dir is in the user's cache, else in memory */
	int lock_fd;			/* keeps .dir from being deleted by others, or -1 */
};

/*
 * Find the intervals for the tag time: of @spec in the session directory @paths, and make the
 * temporary directory. Return 0, or a negative errno with the cause and a way out in the log.
 */
int pp_range_open(struct pp_range **ret, const struct pp_spec *spec,
		  const struct op_session_paths *paths, struct pp_log *log);

/* The receiver of pp_range_visit(). */
struct pp_range_visitor {
	/* Gets the images, events, groups and cells of a part. Returns 0, or a negative errno that
	 * ends the visit. */
	int (*part)(void *arg, const struct itv *v, const struct pp_range_part *part);
	/* The daemon has changed the intervals: forget all parts, which are read again. */
	void (*again)(void *arg);
	void *arg;
};

/*
 * Find the intervals as pp_range_open() does, and give them to @visitor one by one, so that memory
 * does not grow with their number. No temporary directory is made.
 */
int pp_range_visit(struct pp_range **ret, const struct pp_spec *spec,
		   const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		   struct pp_log *log);
/* Delete the temporary directory. @range may be NULL. */
void pp_range_close(struct pp_range *range);

#endif
