// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c -- the summary by program and image, and the release of a profile. */
#include "config.h"
#include "pp/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"

void pp_profile_destroy(struct pp_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->nr_apps; i++)
		free(profile->apps[i].dependents);
	pp_paths_free(profile->paths);
	free(profile->short_titles);
	free(profile->arcs_by_callee);
	free(profile->arcs);
	free(profile->details);
	free(profile->code_entries);
	free(profile->entries);
	free(profile->codes);
	free(profile->apps);
	free(profile->groups);
	free(profile->binaries);
	pp_block_free(profile->blocks);
	pp_block_free(profile->strings);
	free(profile);
}

static int compare_by_app(const void *a, const void *b)
{
	const struct pp_group *x = *(const struct pp_group *const *)a,
			      *y = *(const struct pp_group *const *)b;
	int d = strcmp(x->app, y->app);

	return d ? d : strcmp(x->image, y->image);
}

static struct pp_app *new_app(struct pp_profile *profile, const char *title)
{
	struct pp_app *app = &profile->apps[profile->nr_apps];

	*app = (struct pp_app){ .app = title };
	app->counts = pp_block_alloc(&profile->blocks, profile->nr_counts);
	if (!app->counts)
		return NULL;
	profile->nr_apps++;
	return app;
}

static int add_dependent(struct pp_app *app, const char *image, uint64_t *counts)
{
	if (op_grow(&app->dependents, app->nr_dependents))
		return -ENOMEM;
	app->dependents[app->nr_dependents++] = (struct pp_dependent){ image, counts };
	return 0;
}

int pp_apps_make(struct pp_profile *profile)
{
	const struct pp_group **groups = calloc(profile->nr_groups + 1, sizeof(*groups));
	struct pp_app *app = NULL;
	int err = 0;

	profile->apps = calloc(profile->nr_groups + 1, sizeof(*profile->apps));
	if (!groups || !profile->apps) {
		free(groups);
		return -ENOMEM;
	}
	for (size_t i = 0; i < profile->nr_groups; i++)
		groups[i] = &profile->groups[i];
	qsort(groups, profile->nr_groups, sizeof(*groups), compare_by_app);
	for (size_t i = 0; i < profile->nr_groups && !err; i++) {
		const struct pp_group *group = groups[i];

		/* Without inclusive totals, omit a group (a program's part of a binary) without
		 * samples: its functions only call others. */
		if (!pp_has_counts(group->counts, profile->nr_counts) && !profile->has_totals)
			continue;
		if (!app || strcmp(app->app, group->app))
			app = new_app(profile, group->app);
		err = app ? add_dependent(app, group->image, group->counts) : -ENOMEM;
		for (size_t c = 0; !err && c < profile->nr_counts; c++)
			app->counts[c] += group->counts[c];
	}
	free(groups);
	return err;
}
