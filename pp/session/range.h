/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- reading of ranges of time. The samples of all intervals that overlap the periods of
 * the tag "time:" are summed (intervals/range.h). The sum for each kernel is a source in memory
 * (pp/source/interval.h). A temporary samples directory has the other files, which the later stages
 * read as in any session.
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
#include "pp/source/source.h"

/* Write the name of the temporary samples directory for the kernel number @kernel (struct
 * itv_range_sum) to @name. Return @name. */
#define PP_RANGE_NAME_SIZE	32
const char *pp_range_name(char name[PP_RANGE_NAME_SIZE], uint32_t kernel);

/* Parse values of the tag "time:" such as "yesterday" and "FROM..TO", and sort the periods by their
 * begin. @values has at least one value. The caller frees *@ret. If an hour without a day means an
 * hour of yesterday, log a note. Return 0, or a negative errno with the cause in @log. */
int pp_range_parse(struct op_period **ret, size_t *ret_nr, const struct pp_values *values,
		   struct pp_log *log);

/* Return the number of the kernel in the path of a temporary samples directory, or 0. */
uint32_t pp_range_kernel(const char *samples_dir);

struct pp_range {
	/* the requested periods, and the intervals that were read */
	struct itv_range time;
	char **samples_dirs;		/* paths of the temporary samples directories */
	/* for each samples directory: the samples in memory, or NULL if they are in files; the
	 * caller may move a source out of the array and store NULL */
	struct pp_source **sources;
	size_t nr_samples_dirs;
	/* .nr_runs: number of periods with samples, if each period is a separate run; 0 if the
	 * samples of all periods were summed. .run_of: number of the run of each samples
	 * directory. */
	size_t nr_runs;
	uint32_t *run_of;
	/* temporary directory that contains the samples directories */
	struct pp_scratch scratch;
	/* memory was full, so .scratch is on disk, in the user's cache directory */
	bool is_memory_full;
};

struct pp_range_options {
	/* also read trees of call paths, which takes longer than all else */
	bool call_paths;
	/* make each period a separate run, unless an interval belongs to several periods */
	bool runs_apart;
	/* write the samples and call paths to files of the temporary samples directories, for
	 * callers that open the files */
	bool as_files;
};

/*
 * Sum the intervals that the tag "time:" of @spec selects, or all intervals without the tag. Keep
 * the sums in memory, and write the other files of the session to temporary samples directories.
 * @paths: the session directory. Return 0, or a negative errno with the cause and a remedy in the
 * log.
 */
int pp_range_open(struct pp_range **ret, const struct pp_spec *spec,
		  const struct op_session_paths *paths, const struct pp_range_options *options,
		  struct pp_log *log);

/* Callbacks of pp_range_visit(). */
struct pp_range_visitor {
	/* Called for each part of the range. The data in @v are those that .reads selects (enum
	 * itv_file_parts). Return 0, or a negative errno to stop. */
	int (*part)(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source);
	unsigned int reads;
	/* Called after the daemon has changed the store: discard the data of all intervals, because
	 * all intervals are read again. Return 0 or a negative errno. */
	int (*again)(void *arg);
	void *arg;
};

/*
 * Find the intervals as pp_range_open() does, and pass them to @visitor one by one, so that memory
 * use does not grow with the number of intervals. Do not create a temporary directory.
 */
int pp_range_visit(struct pp_range **ret, const struct pp_spec *spec,
		   const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		   struct pp_log *log);
/* Delete the temporary directory. @range may be NULL. */
void pp_range_close(struct pp_range *range);

#endif
