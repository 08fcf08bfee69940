// SPDX-License-Identifier: GPL-2.0-or-later
/* runs.c -- sums of several runs of one command, or of several periods of time, with the counts of
 * each run. */
#include "config.h"
#include "pp/join/runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/session/range.h"

static bool differ_in_run(const struct pp_class *x, const struct pp_class *y)
{
	return !strcmp(x->event, y->event) && x->count == y->count && x->um == y->um &&
	       x->tgid == y->tgid && x->tid == y->tid && x->cpu == y->cpu;
}

/* Find or add the class of samples that sums @class over all runs, and return its index. */
static size_t find_class(struct pp_classes *classes, const struct pp_class *class)
{
	size_t i = 0;

	while (i < classes->nr && !differ_in_run(&classes->items[i], class))
		i++;
	if (i < classes->nr) {
		classes->items[i].enabled_ns += class->enabled_ns;
		classes->items[i].running_ns += class->running_ns;
		return i;
	}
	classes->items[i] = *class;
	classes->items[i].source = NULL;
	return classes->nr++;
}

static size_t find_run(const struct pp_session *session, const char *source)
{
	size_t i = 0;

	while (i + 1 < session->nr_samples_dirs && strcmp(session->samples_dirs[i], source))
		i++;
	return session->range ? session->range->run_of[i] : i;
}

static size_t count_runs(const struct pp_session *session)
{
	if (!session->is_repeated)
		return 0;
	return session->range ? session->range->nr_runs : session->nr_samples_dirs;
}

/* Compute the share of each period in the total sampling time. If the sampling time of a period is
 * unknown, leave *@ret NULL. Return 0 or -ENOMEM. */
static int find_shares(double **ret, const struct pp_session *session, size_t nr_runs)
{
	double *shares, sum = 0;

	if (!session->range || !nr_runs)
		return 0;
	shares = calloc(nr_runs, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		shares[session->range->run_of[i]] += (double)session->about[i].sampled_ms;
		sum += (double)session->about[i].sampled_ms;
	}
	for (size_t i = 0; i < nr_runs; i++) {
		if (shares[i] <= 0) {
			free(shares);
			return 0;
		}
		shares[i] /= sum;
	}
	*ret = shares;
	return 0;
}

int pp_runs_find(struct pp_runs *ret, const struct pp_session *session)
{
	const struct pp_classes *all = &session->classes;
	struct pp_runs runs = {
		.classes = { .items = calloc(all->nr + 1, sizeof(*all->items)),
			     .axis = all->axis },
		.nr = count_runs(session),
		.nr_source_classes = all->nr,
		.class_of = calloc(all->nr + 1, sizeof(*runs.class_of)),
		.run_of = calloc(all->nr + 1, sizeof(*runs.run_of)),
	};

	if (!runs.classes.items || !runs.class_of || !runs.run_of ||
	    find_shares(&runs.shares, session, runs.nr)) {
		pp_runs_release(&runs);
		return -ENOMEM;
	}
	for (size_t i = 0; i < all->nr; i++) {
		if (runs.nr) {
			runs.class_of[i] = (uint32_t)find_class(&runs.classes, &all->items[i]);
			runs.run_of[i] = (uint32_t)find_run(session, all->items[i].source);
		} else {
			runs.classes.items[runs.classes.nr++] = all->items[i];
			runs.class_of[i] = (uint32_t)i;
		}
	}
	if (runs.classes.axis == PP_AXIS_SOURCE)
		runs.classes.axis = runs.classes.nr > 1 ? PP_AXIS_EVENT : PP_AXIS_NONE;
	*ret = runs;
	return 0;
}

void pp_runs_release(struct pp_runs *runs)
{
	free(runs->classes.items);
	free(runs->class_of);
	free(runs->run_of);
	free(runs->shares);
	*runs = (struct pp_runs){ .nr = 0 };
}
