// SPDX-License-Identifier: GPL-2.0-or-later
/* certainty.c -- statistical significance of the changes in a differential profile. */
#include "config.h"
#include "pp/join/certainty.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "pp/base/block.h"

/* Numbers of samples before and after a change, each divided by pp_runs_factor(), which corrects
 * for the variation between runs. To get the ratio of scaled counts, multiply the ratio of these
 * numbers by .scale. */
struct samples {
	double before, after, scale;
};

/* smallest count, of a line and of all other lines, for which compare_shares() is exact enough */
#define LARGE	1000

/*
 * Change @samples, which are the counts @after and @before, so that pp_ratio_interval() returns the
 * interval of the ratio of two shares of the totals. A share s of n samples has the variance
 * s (1 - s) / n (binomial distribution), which is smaller than that of a Poisson variable by the
 * factor 1 - s: as if the count were larger by this factor. Small counts are not changed, because
 * their intervals must not become too narrow, and the factor is near 1.
 */
static void compare_shares(struct samples *samples, const struct pp_diff_class *of, double before,
			   double after)
{
	double rest_before = of->total_before - before, rest_after = of->total_after - after;

	if (fmin(fmin(before, after), fmin(rest_before, rest_after)) < LARGE)
		return;
	rest_before /= of->total_before;
	rest_after /= of->total_after;
	samples->before /= rest_before;
	samples->after /= rest_after;
	samples->scale *= rest_after / rest_before;
}

/* Set *@ret to the samples from which the confidence interval of a change is computed. Return false
 * if the count is exact or if no samples exist. The arguments are those of pp_change_interval(). */
static bool find_samples(struct samples *ret, const struct pp_diff_facts *facts,
			 const uint64_t *counts, size_t stride, size_t at, size_t class,
			 double percent)
{
	const struct pp_diff_class *of = &facts->classes[class];
	const uint64_t *runs = counts + 3 * stride + at;
	double spread;

	if (!of->is_sampled || (!counts[at] && !counts[2 * stride + at]))
		return false;
	spread = pp_runs_factor(&(struct pp_run_counts){
					runs + facts->nr_runs_after * stride, facts->nr_runs_before,
					facts->before ? facts->before->shares : NULL },
				&(struct pp_run_counts){
					runs, facts->nr_runs_after,
					facts->after ? facts->after->shares : NULL },
				stride, 1 - percent / 100);
	/* With multiplexed counters, a count is the number of samples times a weight. This
	 * multiplies the variance by the square of the weight, but the mean only by the weight, so
	 * divide the ratio of both by the weight. */
	spread = fmax(1, spread / fmin(of->weight_before, of->weight_after));
	*ret = (struct samples){
		.before = (double)counts[2 * stride + at] / of->weight_before / spread,
		.after = (double)counts[at] / of->weight_after / spread,
		.scale = of->weight_after / of->weight_before / of->factor,
	};
	/* the variation of runs is that of their counts, not of their shares */
	if (!facts->nr_runs_before && !facts->nr_runs_after)
		compare_shares(ret, of, (double)counts[2 * stride + at], (double)counts[at]);
	return true;
}

bool pp_change_interval(struct pp_interval *ret, const struct pp_diff_facts *facts,
			const uint64_t *counts, size_t stride, size_t at, size_t class,
			double percent)
{
	struct pp_interval ratio;
	struct samples samples;

	if (!find_samples(&samples, facts, counts, stride, at, class, percent))
		return false;
	ratio = pp_ratio_interval(samples.before, samples.after, 1 - percent / 100);
	ret->low = 100 * (ratio.low * samples.scale - 1);
	ret->high = 100 * (ratio.high * samples.scale - 1);
	return true;
}

/* Return, in percent, the probability that each of @nr confidence intervals needs so that all of
 * them together have the probability @percent. */
static double of_each(double percent, size_t nr)
{
	return 100 - (100 - percent) / (double)(nr ? nr : 1);
}

static size_t nr_sampled(const struct pp_profile *diff)
{
	size_t nr = 0;

	for (size_t c = 0; c < diff->nr_classes; c++)
		nr += diff->diff->classes[c].is_sampled;
	return nr;
}

bool pp_change_is_significant(const struct pp_profile *diff, const uint64_t *counts,
			      double percent)
{
	double each = of_each(percent, nr_sampled(diff));

	for (size_t c = 0; c < diff->nr_classes; c++) {
		struct samples samples;

		if (find_samples(&samples, diff->diff, counts, diff->nr_classes, c, c, each)) {
			if (pp_ratio_differs(samples.before, samples.after, 1 / samples.scale,
					     1 - each / 100))
				return true;
		} else if (counts[c] != pp_diff_before(diff, counts)[c]) {
			return true;	/* a change of an exact count is certain */
		}
	}
	return false;
}

/* Count a line of the differential profile with the counts @counts. If the line is hidden (not
 * @kept), also add @counts to the sums of hidden lines. */
static void note_line(struct pp_profile *diff, const uint64_t *counts, bool kept)
{
	diff->diff->nr_lines++;
	if (kept)
		return;
	diff->diff->nr_hidden++;
	for (size_t c = 0; c < diff->nr_counts; c++)
		diff->diff->hidden[c] += counts[c];
}

static void filter_entries(struct pp_profile *diff, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < diff->nr_entries; i++) {
		const uint64_t *counts = diff->entries[i].counts;
		bool keep = pp_change_is_significant(diff, counts, percent);

		note_line(diff, counts, keep);
		if (keep)
			diff->entries[kept++] = diff->entries[i];
	}
	diff->nr_entries = kept;
}

/* Replace the images of a program by one row with the sum of their counts, if the program has no
 * image with a significant change. Return 0 or -ENOMEM. */
static int filter_images(struct pp_profile *diff, struct pp_app *app, double percent)
{
	size_t kept = 0, nr = 0;
	struct pp_dependent rest = { NULL, pp_block_alloc(&diff->blocks, diff->nr_counts) };
	char text[64], *title;
	int len;

	if (!rest.counts)
		return -ENOMEM;
	for (size_t i = 0; i < app->nr_dependents; i++) {
		const struct pp_dependent *image = &app->dependents[i];

		if (pp_change_is_significant(diff, image->counts, percent)) {
			app->dependents[kept++] = *image;
			continue;
		}
		for (size_t c = 0; c < diff->nr_counts; c++)
			rest.counts[c] += image->counts[c];
		nr++;
	}
	app->nr_dependents = kept;
	if (!nr)
		return 0;
	len = snprintf(text, sizeof(text), PP_NOT_SIGNIFICANT, nr, op_plural(nr, "image", "images"));
	title = pp_block_bytes(&diff->strings, (size_t)len + 1);
	if (!title)
		return -ENOMEM;
	rest.image = memcpy(title, text, (size_t)len + 1);
	app->dependents[app->nr_dependents++] = rest;
	return 0;
}

static bool has_significant_image(const struct pp_profile *diff, const struct pp_app *app,
				  double percent)
{
	size_t i = 0;

	while (i < app->nr_dependents &&
	       !pp_change_is_significant(diff, app->dependents[i].counts, percent))
		i++;
	return i < app->nr_dependents;
}

static int filter_apps(struct pp_profile *diff, double percent)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < diff->nr_apps && !err; i++) {
		struct pp_app *app = &diff->apps[i];
		bool keep = pp_change_is_significant(diff, app->counts, percent) ||
			    has_significant_image(diff, app, percent);

		note_line(diff, app->counts, keep);
		if (keep) {
			struct pp_app moved = *app;

			err = filter_images(diff, &moved, percent);
			*app = (struct pp_app){ NULL };
			diff->apps[kept++] = moved;
		} else {
			free(app->dependents);
			*app = (struct pp_app){ NULL };
		}
	}
	if (!err)
		diff->nr_apps = kept;
	return err;
}

int pp_certainty_filter(struct pp_profile *diff, double percent)
{
	if (!diff->nr_entries)
		return filter_apps(diff, percent);
	filter_entries(diff, percent);
	return 0;
}
