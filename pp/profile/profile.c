// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c -- release of a profile. */
#include "config.h"
#include "pp/profile/profile.h"

#include <stdlib.h>

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
