// SPDX-License-Identifier: GPL-2.0-or-later
/* scale.c -- scaling of the counts of a profile. */
#include "config.h"
#include "pp/profile/scale.h"

static uint64_t scaled(uint64_t count, const struct pp_class *class)
{
	unsigned __int128 n = (unsigned __int128)count * class->enabled_ns + class->running_ns / 2;

	n /= class->running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static void scale_class(struct pp_profile *profile, const struct pp_class *class, size_t c)
{
	profile->totals[c] = scaled(profile->totals[c], class);
	for (size_t i = 0; i < profile->nr_groups; i++)
		profile->groups[i].counts[c] = scaled(profile->groups[i].counts[c], class);
	for (size_t i = 0; i < profile->nr_entries; i++)
		profile->entries[i].counts[c] = scaled(profile->entries[i].counts[c], class);
	for (size_t i = 0; i < profile->nr_arcs; i++)
		profile->arcs[i].counts[c] = scaled(profile->arcs[i].counts[c], class);
	for (size_t i = 0; profile->paths && i < profile->paths->nr_nodes; i++)
		if (profile->paths->nodes[i].self)
			profile->paths->nodes[i].self[c] =
				scaled(profile->paths->nodes[i].self[c], class);
	for (size_t i = 0; i < profile->nr_details; i++) {
		const struct pp_details *details = &profile->details[i];

		for (size_t d = 0; d < details->nr; d++)
			details->items[d].counts[c] = scaled(details->items[d].counts[c], class);
	}
}

void pp_profile_scale(struct pp_profile *profile, const struct pp_classes *classes)
{
	for (size_t c = 0; c < profile->nr_classes; c++)
		if (pp_class_is_scaled(&classes->items[c]))
			scale_class(profile, &classes->items[c], c);
}
