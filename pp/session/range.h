/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- ranges of time: the intervals of a host that overlap the periods of the tag time:
 * (intervals/range.h) are added up in a temporary samples directory for each kernel. The other
 * stages read these directories as any session.
 */
#ifndef PP_SESSION_RANGE_H
#define PP_SESSION_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/range.h"
#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/session/scratch.h"
#include "pp/session/spec.h"

/* Write the name of the temporary samples directory of a kernel (itv_range_sum). Return @name. */
#define PP_RANGE_NAME_SIZE	32
const char *pp_range_name(char name[PP_RANGE_NAME_SIZE], uint32_t kernel);

struct pp_range {
	/* the requested periods, and the intervals that were read */
	struct itv_range time;
	char **samples_dirs;		/* paths of the samples directories to read */
	size_t nr_samples_dirs;
	/* number of periods with samples that were read as runs of their own; 0: the samples of all
	 * periods were added up. .run_of: the number of the run of each samples directory. */
	size_t nr_runs;
	uint32_t *run_of;
	/* temporary directory that contains the samples directories */
	struct pp_scratch scratch;
	bool is_memory_full;		/* .scratch is in the user's cache, else in memory */
};

/*
 * Find the intervals for the tag time: of @spec in the session directory @paths, and make the
 * temporary directory. Without the tag, all intervals are read. @call_paths: also read the trees of
 * call paths, which take most of the time. @runs_apart: read each period as a run of its own,
 * unless an interval belongs to several periods. Return 0, or a negative errno with the cause and a
 * way out in the log.
 */
int pp_range_open(struct pp_range **ret, const struct pp_spec *spec,
		  const struct op_session_paths *paths, bool call_paths, bool runs_apart,
		  struct pp_log *log);

/* Callbacks of pp_range_visit(). */
struct pp_range_visitor {
	/* Gets each part with the members of @v that .reads selects (enum itv_file_parts). Returns
	 * 0, or a negative errno that ends the visit. */
	int (*part)(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source);
	unsigned int reads;
	/* The daemon has changed the intervals: forget all parts, which are read again. Returns 0
	 * or a negative errno. */
	int (*again)(void *arg);
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
