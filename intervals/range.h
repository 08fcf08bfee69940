/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- the samples of a period: from the intervals and closed sessions of a store (store.h)
 * that overlap the period, and from the current session.
 *
 * Whole intervals are used, so the first and the last may extend beyond the period. A damaged
 * interval is skipped and becomes a gap.
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
	/* A daemon still writes the session; .end is the time of its last totals. */
	bool is_live;
};

/* Summary of a list of intervals: number, start of the first interval, end of the last interval. */
struct itv_range_times {
	size_t nr;
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
};

/* A struct itv_range of zeros has no intervals. */
struct itv_range {
	/* requested periods, sorted by begin; malloc'd by the caller */
	struct op_period *asked;
	size_t nr_asked;
	/* intervals and sessions that overlap the periods, sorted by begin */
	struct itv_range_part *parts;
	size_t nr_parts;
	int64_t first;			/* start of the store's first interval, or INT64_MAX */
	/* times without samples within the periods, sorted by time */
	struct itv_gap *gaps;
	size_t nr_gaps;
	/* parts that overlap an earlier part, because the clock was set back */
	struct itv_range_times overlaps;
	/* intervals that begin in the future and were not requested, because the clock was wrong */
	struct itv_range_times future;
	/* coarsest precision of the addresses, number of samples, of samples with call paths, and
	 * of samples whose call path was shortened by itv_fold_paths() */
	enum itv_precision precision;
	uint64_t samples, paths, folded;
};

/* The sum of the parts that were recorded on one kernel. */
struct itv_range_sum {
	/* the samples; the callback may move them and leave zeros */
	struct itv *v;
	uint32_t kernel;		/* number of the kernel's build; 0: unknown */
	const struct itv_range_places *places;	/* the parts of this kernel; private to range.c */
};

/* The stored form of a part of the range. */
struct itv_range_source {
	/* name of the file or directory in the store, or "current" */
	const char *name;
	/* descriptor of the interval file or of the samples directory */
	int fd;
	bool is_session;		/* the source is a samples directory */
	uint32_t kernel;
};

/*
 * Callbacks that receive the samples. Each returns 0, or a negative errno that stops the reading.
 * Set either .sum or .part.
 */
struct itv_range_reader {
	/* Receives the sum of all parts of one kernel; called once for each kernel. */
	int (*sum)(void *arg, const struct itv_range_sum *sum);
	/* Receives each part. Sessions are read completely, regardless of .reads. */
	int (*part)(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source);
	/* parts of interval files to read: bits of enum itv_file_parts */
	unsigned int reads;
	/* The store has changed: discard everything received so far, and expect it again. May be
	 * NULL. */
	int (*again)(void *arg);
	/* Reports that the part @name was skipped because of @err, a negative error of file.h. */
	void (*damaged)(void *arg, const char *name, int err);
	void *arg;
};

/*
 * Read the samples of the periods range->asked from the directory @samples_fd (DIR/samples), which
 * must have a store. Release and set the other members of the range; .nr_parts is 0 if the periods
 * have no samples. If the parts have the same addresses and paths, the memory does not grow with
 * the number of parts. Return 0 or a negative error.
 */
int itv_range_read(struct itv_range *range, int samples_fd, const struct itv_range_reader *reader);
void itv_range_release(struct itv_range *range);

/* Write the sum and the symbols of its kernel to the empty samples directory @samples_dirfd, like
 * itv_export(). Return 0 or a negative error. */
int itv_range_export(const struct itv_range_sum *sum, int samples_dirfd);
/* Write the sum and the symbols like itv_range_export(), but without sample files and trees of call
 * paths. */
int itv_range_export_companions(const struct itv_range_sum *sum, int samples_dirfd);

/* Open the store of @samples_fd (DIR/samples). Return a descriptor or a negative errno. */
int itv_range_open_store(int samples_fd);

/* Set *@begin and *@end to the start of the first and the end of the last interval of a store.
 * Return 0, or -ENODATA if the store has no intervals. */
int itv_range_of_store(int64_t *begin, int64_t *end, int store);

#endif
