/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- a differential profile: what changed from one profile to another, program by program,
 * binary by binary and function by function.
 *
 * It is a profile itself, to be sorted and thinned out like any other. In every array of counts those
 * of the second profile ("after") come first, then those of the first ("before"); what is gone has
 * zeros after, what is new has zeros before.
 */
#ifndef PP_PROFILE_DIFF_H
#define PP_PROFILE_DIFF_H

#include "pp/profile/profile.h"
#include "pp/session/session.h"

enum pp_diff_change { PP_DIFF_BOTH, PP_DIFF_NEW, PP_DIFF_GONE };

/* Do the classes of the two sessions stand for the same events? Else the log has the difference. */
int pp_diff_check(const struct pp_session *first, const struct pp_session *second,
		  struct pp_log *log);
/* Fills *@ret with the classes of @second, which must outlive it; a process, thread or CPU that only one side
 * is of is none's. free() its .items. 0 or -ENOMEM. */
int pp_diff_classes(struct pp_classes *ret, const struct pp_classes *first,
		    const struct pp_classes *second);
/* Functions are the same when name, binary and program are named alike. Both must outlive *@ret. With
 * @equal_totals the counts before are brought to the totals after, each rounded for itself, but never to 0.
 * 0 or -ENOMEM. */
int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second, int equal_totals);

/* What changed most comes first (with @reverse, last), whether it grew or shrank; what changed alike keeps
 * its order. Programs, their binaries, and functions. 0 or -ENOMEM. */
int pp_diff_sort(struct pp_profile *diff, int reverse);

/* By how many samples @counts changed, in all classes together. */
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
