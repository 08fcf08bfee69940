// SPDX-License-Identifier: GPL-2.0-or-later
/* threshold.c -- removal of lines below the threshold. */
#include "config.h"
#include "pp/profile/threshold.h"

#include <stdbool.h>
#include <stdlib.h>

#include "pp/profile/paths.h"

bool pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent)
{
	for (size_t i = 0; i < nr_classes; i++)
		if (totals[i] && 100.0 * counts[i] / totals[i] >= percent)
			return true;
	return false;
}

/* Remove small lines below a program. Their shares are of all samples, too. */
static void thin_dependents(const struct pp_profile *profile, struct pp_app *app, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < app->nr_dependents; i++)
		if (pp_reaches(app->dependents[i].counts, profile->totals, profile->nr_counts,
			       percent))
			app->dependents[kept++] = app->dependents[i];
	app->nr_dependents = kept;
}

/* Remove each node that is too small in all classes, with the nodes below it. */
static void thin_paths(struct pp_paths *paths, const struct pp_profile *profile, double percent)
{
	for (size_t i = 0; i < paths->nr_nodes; i++) {
		struct pp_path_node *node = &paths->nodes[i];
		uint32_t *children = &paths->children[node->first], kept = 0;

		for (uint32_t c = 0; c < node->nr; c++)
			if (pp_reaches(paths->nodes[children[c]].total, profile->totals,
				       profile->nr_counts, percent))
				children[kept++] = children[c];
		node->nr = kept;
	}
}

static void thin_apps(struct pp_profile *profile, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->nr_apps; i++) {
		if (pp_reaches(profile->apps[i].counts, profile->totals, profile->nr_counts,
			       percent))
			profile->apps[kept++] = profile->apps[i];
		else
			free(profile->apps[i].dependents);
	}
	profile->nr_apps = kept;
	for (size_t i = 0; i < profile->nr_apps; i++)
		thin_dependents(profile, &profile->apps[i], percent);
}

void pp_profile_threshold(struct pp_profile *profile, double percent)
{
	size_t kept = 0;

	/* Functions may reach the threshold by their totals in programs and images whose samples do
	 * not reach it. */
	if (!profile->has_totals)
		thin_apps(profile, percent);
	if (profile->paths)
		thin_paths(profile->paths, profile, percent);
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (pp_reaches(pp_entry_rank(profile, &profile->entries[i]), profile->totals,
			       profile->nr_counts, percent))
			profile->entries[kept++] = profile->entries[i];
	profile->nr_entries = kept;
}
