/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- the samples of a time: the intervals and the closed sessions of a store (store.h) that
 * overlap the time, and the current session.
 *
 * Intervals are used as a whole: the first and the last one may reach beyond the time. A damaged
 * interval is left out and becomes a gap.
 */
#ifndef ITV_RANGE_H
#define ITV_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/interval.h"
#include "intervals/store.h"
#include "libop/base/time_words.h"

/* A part of the range: an interval, a closed session or the current session. */
struct itv_range_part {
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
	unsigned int step;		/* length class of the interval, as in struct itv_entry */
	/* A daemon writes the session: .end is the time of its last totals. */
	bool is_live;
};

/* Summary of a list of intervals: number, start of the first interval, end of the last interval. */
struct itv_range_times {
	size_t nr;
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
};

/* A struct itv_range of zeros has no intervals. */
struct itv_range {
	/* the requested periods, sorted by begin; the caller allocates the array with malloc() */
	struct op_period *asked;
	size_t nr_asked;
	/* intervals and sessions with samples of the periods, sorted by begin */
	struct itv_range_part *parts;
	size_t nr_parts;
	int64_t first;			/* start of the store's first interval, or INT64_MAX */
	struct itv_gap *gaps;		/* times in the periods without samples, sorted by time */
	size_t nr_gaps;
	/* parts whose times overlap an earlier part, because the clock was set back */
	struct itv_range_times overlaps;
	/* intervals outside of the periods that begin in the future, because the clock was wrong */
	struct itv_range_times future;
	/* the coarsest precision of the addresses (enum itv_precision), the samples, those of them
	 * with call paths, and those whose path is incomplete because a tree was reduced */
	enum itv_precision precision;
	uint64_t samples, paths, folded;
};

/* The sum of the parts that were taken with one kernel. */
struct itv_range_sum {
	const struct itv *v;
	uint32_t kernel;		/* number of the kernel's build; 0: unknown */
	const struct itv_range_places *places;	/* private */
};

/* A part of the range as it is stored. */
struct itv_range_source {
	/* name of the file or directory in the store, or "current" */
	const char *name;
	/* descriptor of the interval file or of the samples directory */
	int fd;
	bool is_session;		/* the source is a samples directory */
	uint32_t kernel;
};

/*
 * The receiver of the samples. A function returns 0, or a negative errno that ends the reading.
 * Either .sum or .part is set.
 */
struct itv_range_reader {
	/* Gets the sum of all parts of a kernel. The sums of several kernels come one by one. */
	int (*sum)(void *arg, const struct itv_range_sum *sum);
	/* Gets each part. Sessions are read as a whole. */
	int (*part)(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source);
	/* the parts of intervals to read for both: enum itv_file_parts */
	unsigned int reads;
	/* The writer has changed the store: forget everything, which is read again. May be NULL. */
	int (*again)(void *arg);
	/* The part with this name is skipped because of @err, a negative error of file.h. */
	void (*damaged)(void *arg, const char *name, int err);
	void *arg;
};

/*
 * Read the samples of the periods range->asked from the directory @samples_fd (DIR/samples), which
 * has a store. Fill in the other members of the range, whose earlier contents are released. Without
 * samples of the periods, .nr_parts is 0. Memory does not grow with the number of parts that have
 * the same addresses and paths. Return 0 or a negative error.
 */
int itv_range_read(struct itv_range *range, int samples_fd, const struct itv_range_reader *reader);
void itv_range_release(struct itv_range *range);

/* Write the sum and the symbols of its kernel to the empty samples directory @samples_dirfd, as
 * itv_export() does. Return 0 or a negative error. */
int itv_range_export(const struct itv_range_sum *sum, int samples_dirfd);

/* Open the store of @samples_fd (DIR/samples). Return a descriptor or a negative errno. */
int itv_range_open_store(int samples_fd);

/* Set *@begin and *@end to the times of the first and of the last interval of a store. Return 0, or
 * -ENODATA if it has no intervals. */
int itv_range_of_store(int64_t *begin, int64_t *end, int store);

#endif
