/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- a differential profile: the changes from one profile to another, by program, binary and
 * function.
 *
 * A differential profile is sorted and filtered like any other profile. Each array of counts
 * consists of sections with a count for each class:
 *   1. the counts of the second profile ("after");
 *   2. the counts of the first profile ("before"), scaled;
 *   3. the counts of the first profile as they were recorded;
 *   4. a section for each run of the second profile, then of the first profile, if they have
 *      several runs of the same command (struct pp_diff_facts).
 * A line that only the first profile has gets zeros after; a line that only the second profile has
 * gets zeros before.
 */
#ifndef PP_JOIN_DIFF_H
#define PP_JOIN_DIFF_H

#include "pp/join/runs.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

enum pp_diff_change { PP_DIFF_BOTH, PP_DIFF_NEW, PP_DIFF_GONE };

/* Return 0 if the classes of the two profiles have the same events, else -EINVAL with the
 * difference in the log. */
int pp_diff_check(const struct pp_classes *first, const struct pp_classes *second,
		  struct pp_log *log);
/* Set *@ret to the classes of @second, which must outlive *@ret. Where the sessions differ in
 * process, thread or CPU, set that number to OP_ALL, unless columns differ in it. The caller frees
 * ret->items. Return 0 or -ENOMEM. */
int pp_diff_classes(struct pp_classes *ret, const struct pp_classes *first,
		    const struct pp_classes *second);
/* How the counts of the first profile are scaled. Each count is rounded, but not to 0. A zeroed
 * struct does not scale. */
struct pp_diff_scale {
	/* scale the first profile so that both profiles have equal totals */
	bool equal_totals;
	/* else, if both are not 0: the times of sampling, whose ratio is the factor */
	uint64_t time_before, time_after;
	/* the classes and runs of the profiles; NULL: one run, and all counts are samples with
	 * equal periods */
	const struct pp_runs *before, *after;
};

/* The origin of the counts of a class in a differential profile. */
struct pp_diff_class {
	/* the counts are samples; false: each event was counted, so that no count is uncertain */
	bool is_sampled;
	double factor;		/* factor by which the counts of the first profile are multiplied */
	double period;		/* part of .factor: the ratio of the periods of the event */
	/* the count of one sample: more than 1 if events took turns on the counters */
	double weight_before, weight_after;
};

struct pp_diff_facts {
	struct pp_diff_class *classes;
	/* number of groups of runs in each profile; 0: a single run */
	size_t nr_runs_before, nr_runs_after;
	/* the runs of each profile, as in struct pp_diff_scale */
	const struct pp_runs *before, *after;
	/* lines that were removed because their change may be chance, and the sums of their
	 * counts */
	size_t nr_hidden;
	uint64_t *hidden;
	/* number of lines that were examined, of which .nr_hidden were removed */
	size_t nr_lines;
};

/* Make the differential profile *@ret, which both profiles must outlive. Functions are paired if
 * their names, binaries and programs are equal. Return 0 or -ENOMEM. */
int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second, const struct pp_diff_scale *scale);

/* Sort programs, their binaries, and functions by the size of their change: largest first or, with
 * @reverse, smallest first. Return 0 or -ENOMEM. */
int pp_diff_sort(struct pp_profile *diff, bool reverse);

/* Return the size of the change of @counts: the sum of the absolute differences over all
 * classes. */
uint64_t pp_diff_size(const struct pp_profile *diff, const uint64_t *counts);

static inline const uint64_t *pp_diff_before(const struct pp_profile *diff, const uint64_t *counts)
{
	return counts + diff->nr_classes;
}

static inline enum pp_diff_change pp_diff_change(const struct pp_profile *diff,
						 const uint64_t *counts)
{
	if (!pp_has_counts(counts, diff->nr_classes))
		return PP_DIFF_GONE;
	return pp_has_counts(pp_diff_before(diff, counts), diff->nr_classes) ? PP_DIFF_BOTH :
									       PP_DIFF_NEW;
}

#endif
