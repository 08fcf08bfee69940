/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h -- the samples of a period: from the intervals and closed sessions of a store (store.h)
 * that overlap the period, and from the current session.
 *
 * Only whole intervals can be read, so the first and the last one may extend beyond the period. A
 * damaged interval is skipped and reported as a gap.
 */
#ifndef ITV_RANGE_H
#define ITV_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/interval.h"
#include "intervals/store.h"
#include "libop/base/time_words.h"

/* An interval, a closed session or the current session that has samples of the requested
 * periods. */
struct itv_range_part {
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
	/* step of the interval in the store, which determines its length, as in struct itv_entry */
	unsigned int step;
	/* a daemon still writes the session; .end is the time when its totals were last written */
	bool is_live;
};

/* Reasons of gaps that a range adds. */
#define ITV_GAP_BEFORE		"before the first interval"
#define ITV_GAP_NOT_RUNNING	"not running"

/* Summary of several intervals: their number, start of the first one, end of the last one. */
struct itv_range_times {
	size_t nr;
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
};

/* The requested periods, and the results of reading them. A struct itv_range of zeros has no
 * intervals. */
struct itv_range {
	/* requested periods, sorted by begin; malloc'd by the caller */
	struct op_period *asked;
	size_t nr_asked;
	/* intervals and sessions that overlap the periods, sorted by begin */
	struct itv_range_part *parts;
	size_t nr_parts;
	int64_t first;			/* start of the first interval in the store, or INT64_MAX */
	/* times without samples within the requested periods, sorted by time */
	struct itv_gap *gaps;
	size_t nr_gaps;
	/* parts that begin before the end of an earlier part, because the clock was set back */
	struct itv_range_times overlaps;
	/* intervals that begin in the future and were not requested; their clock was wrong */
	struct itv_range_times future;
	/* .precision: the coarsest precision of the addresses; then four numbers: of samples, of
	 * samples with call paths, of samples whose call path itv_fold_paths() has shortened, and
	 * of samples of wakers */
	enum itv_precision precision;
	uint64_t samples, paths, folded, wakers;
};

/* The sum of the intervals and sessions that were recorded on one kernel. */
struct itv_range_sum {
	/* the samples; the callback may move the contents of *v and leave zeros */
	struct itv *v;
	uint32_t kernel;		/* number of the kernel's build; 0: unknown */
	/* the parts that were added up; private to range.c */
	const struct itv_range_places *places;
};

/* Where a part of the range is stored. */
struct itv_range_source {
	/* name of the file or directory in the store, or "current" */
	const char *name;
	/* descriptor of the interval file or of the samples directory */
	int fd;
	bool is_session;		/* the source is a samples directory */
	uint32_t kernel;
};

/*
 * Callbacks that receive the samples of the range. Each callback returns 0, or a negative errno,
 * which stops the reading. Set either .sum or .part.
 */
struct itv_range_reader {
	/* Receives the sum of all parts of one kernel; called once for each kernel. */
	int (*sum)(void *arg, const struct itv_range_sum *sum);
	/* Receives each part of the range. The parts that are sessions are read completely,
	 * regardless of .reads. */
	int (*part)(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source);
	/* bits of enum itv_file_parts: which parts of interval files are read */
	unsigned int reads;
	/* The store has changed: the callback must discard everything that it has received, because
	 * all samples are read again. May be NULL. */
	int (*again)(void *arg);
	/* Reports that the part @name was skipped because of @err, a negative error of file.h. */
	void (*damaged)(void *arg, const char *name, int err);
	void *arg;
};

/*
 * Read the samples of the periods range->asked from the directory @samples_fd (DIR/samples), which
 * must have a store. Release the earlier results in @range and set new ones; .nr_parts is 0 if the
 * periods have no samples. Only partial sums are kept in memory, so if all parts have the same
 * addresses and paths, the needed memory does not grow with the number of parts. Return 0 or a
 * negative error.
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

/* Set *@begin to the start of the first interval of a store, and *@end to the end of the last one.
 * Return 0, or -ENODATA if the store has no intervals. */
int itv_range_of_store(int64_t *begin, int64_t *end, int store);

#endif
