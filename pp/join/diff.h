/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- a differential profile: the changes from one profile to another, by program, binary and
 * function.
 *
 * It is sorted and filtered like any other profile. Each array of counts consists of sections with
 * one count for each class of samples:
 *   1. the counts of the second profile ("after");
 *   2. the counts of the first profile ("before"), scaled;
 *   3. the counts of the first profile as they were recorded;
 *   4. if the profiles have several runs of one command: a section for each run of the second
 *      profile, then of the first profile (struct pp_diff_facts).
 * The counts after are 0 for a line that only the first profile has; the counts before are 0 for a
 * line that only the second profile has.
 */
#ifndef PP_JOIN_DIFF_H
#define PP_JOIN_DIFF_H

#include "pp/join/runs.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

enum pp_diff_change { PP_DIFF_BOTH, PP_DIFF_NEW, PP_DIFF_GONE };

/* Return 0 if the classes of samples in both profiles have the same events. Otherwise return
 * -EINVAL with the difference in the log. */
int pp_diff_check(const struct pp_classes *first, const struct pp_classes *second,
		  struct pp_log *log);
/* Set *@ret to the classes of samples in the differential profile: the classes of @second, which
 * must outlive *@ret. If the two sessions recorded different processes, threads or CPUs, set that
 * number to OP_ALL, unless it distinguishes the columns. The caller frees ret->items. Return 0 or
 * -ENOMEM. */
int pp_diff_classes(struct pp_classes *ret, const struct pp_classes *first,
		    const struct pp_classes *second);
/* How to scale the counts of the first profile. Counts are rounded, but not to 0. A zeroed struct
 * does not scale. */
struct pp_diff_scale {
	/* scale the first profile so that the totals of both profiles are equal */
	bool equal_totals;
	/* if .equal_totals is false: scale by the ratio of these sampling times, if both are not
	 * 0 */
	uint64_t time_before, time_after;
	/* classes of samples, and runs, of both profiles; NULL: a single run, and all counts are
	 * samples with equal periods */
	const struct pp_runs *before, *after;
};

/* How the counts of one class (event, for example) of a differential profile were taken. */
struct pp_diff_class {
	/* the counts are samples; false: exact counts of each event */
	bool is_sampled;
	double factor; /* factor by which the counts of the first profile were multiplied */
	double period; /* ratio of the two profiles' sampling periods, which is a part of .factor */
	/* how much one sample counts; more than 1 if events shared a counter */
	double weight_before, weight_after;
	/* totals of both profiles, as recorded, if they were scaled to equal totals; else 0 */
	double total_before, total_after;
};

struct pp_diff_facts {
	struct pp_diff_class *classes;
	/* number of runs, or groups of runs, of each profile; 0: a single run */
	size_t nr_runs_before, nr_runs_after;
	/* the runs of each profile, as in struct pp_diff_scale */
	const struct pp_runs *before, *after;
	/* number of lines that were removed because their change may be chance; .hidden: sums of
	 * the counts of these lines */
	size_t nr_hidden;
	uint64_t *hidden;
	/* number of lines that were examined for significant changes, including .nr_hidden */
	size_t nr_lines;
};

/* Make the differential profile *@ret. Both profiles must outlive it. Functions with equal names,
 * binaries and programs are paired. Return 0 or -ENOMEM. */
int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second, const struct pp_diff_scale *scale);

/* Sort programs, their binaries, and functions by the size of their change, largest first or, with
 * @reverse, smallest first. Return 0 or -ENOMEM. */
int pp_diff_sort(struct pp_profile *diff, bool reverse);

/* Return the size of the change in @counts, the counts of one line: the sum of the absolute
 * differences in all classes of samples. */
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
