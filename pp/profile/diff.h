/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- a differential profile: what changed from one profile to another, function by function.
 *
 * It is a profile itself, to be sorted and thinned out like any other. The counts of its entries
 * are the second profile's, or the first's where the function is gone; behind them stand those of
 * the first, and what became of the function.
 */
#ifndef PP_PROFILE_DIFF_H
#define PP_PROFILE_DIFF_H

#include "pp/profile/profile.h"
#include "pp/session/session.h"

enum pp_diff_change { PP_DIFF_BOTH, PP_DIFF_NEW, PP_DIFF_GONE };

/* Do the classes of the two sessions stand for the same events? Else the log has the difference. */
int pp_diff_check(const struct pp_session *first, const struct pp_session *second,
		  struct pp_log *log);
/* Functions are the same when name, binary and program are named alike. Both must outlive *@ret.
 * 0 or -ENOMEM. */
int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second);

/* Brings the counts of @first's entries to the totals of @second, each rounded for itself. */
void pp_diff_scale(struct pp_profile *first, const struct pp_profile *second);

/* What changed most comes first (with @reverse, last), whether it grew or shrank; what changed alike keeps
 * its order. 0 or -ENOMEM. */
int pp_diff_sort(struct pp_profile *diff, int reverse);

/* @counts: an entry's, of the differential profile. */
static inline const uint64_t *pp_diff_before(const struct pp_profile *profile,
					     const uint64_t *counts)
{
	return counts + profile->nr_classes;
}

static inline enum pp_diff_change pp_diff_change(const struct pp_profile *profile,
						 const uint64_t *counts)
{
	return (enum pp_diff_change)counts[2 * profile->nr_classes];
}

#endif
