// SPDX-License-Identifier: GPL-2.0-or-later
/* left_out.c -- threshold of trees of calls, and sums of the parts below it. */
#include "config.h"
#include "pp/format/left_out.h"

#include "libop/base/plural.h"
#include "pp/profile/threshold.h"

bool pp_is_shown(const struct pp_report *report, const uint64_t *counts)
{
	const struct pp_profile *profile = report->profile;
	double threshold = report->options->threshold;

	/* A session of call-graph files alone has no samples as a reference for shares. */
	return threshold <= 0 || !pp_has_counts(profile->totals, profile->nr_classes) ||
	       pp_reaches(counts, profile->totals, profile->nr_classes, threshold);
}

void pp_left_out_add(struct pp_left_out *left, const struct pp_report *report,
		     const uint64_t *counts)
{
	left->nr++;
	for (size_t c = 0; counts && c < report->profile->nr_classes; c++)
		left->counts[c] += counts[c];
}

/* Return the column in which the largest share was left out. */
static size_t find_largest(const struct pp_left_out *left, const struct pp_profile *profile)
{
	size_t largest = 0;
	double most = -1;

	for (size_t c = 0; c < profile->nr_classes; c++) {
		double share =
			profile->totals[c] ? (double)left->counts[c] / profile->totals[c] : 0;

		if (share > most) {
			most = share;
			largest = c;
		}
	}
	return largest;
}

void pp_left_out_put(const struct pp_left_out *left, const struct pp_report *report,
		     const char *part, const char *parts)
{
	const struct pp_profile *profile = report->profile;
	size_t c = find_largest(left, profile);
	double share = profile->totals[c] ? 100.0 * left->counts[c] / profile->totals[c] : 0;

	if (!left->nr || !report->options->show_header)
		return;
	fprintf(report->out,
		"%zu %s below %g %% %s not shown, %s%.3g %% of %s in all: -t 0 shows %s\n",
		left->nr, op_plural(left->nr, part, parts), report->options->threshold,
		op_plural(left->nr, "is", "are"), profile->nr_classes > 1 ? "at most " : "", share,
		pp_class_unit(&report->session->classes.items[c]),
		op_plural(left->nr, "it", "them"));
}
