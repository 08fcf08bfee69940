// SPDX-License-Identifier: GPL-2.0-or-later
/* gone.c -- samples in binaries of which only names were kept. */
#include "config.h"
#include "pp/profile/gone.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t *sums_of_binaries(const struct pp_profile *profile)
{
	uint64_t *sums = calloc(profile->nr_binaries + 1, sizeof(*sums));

	for (size_t i = 0; sums && i < profile->nr_groups; i++)
		for (size_t c = 0; c < profile->nr_classes; c++)
			sums[profile->groups[i].binary] += profile->groups[i].counts[c];
	return sums;
}

int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log)
{
	uint64_t *sums = sums_of_binaries(profile), sum = 0;
	size_t largest = 0, nr = 0;
	char others[40] = "";

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		if (profile->binaries[i].info.state != PP_IMAGE_KEPT || !sums[i])
			continue;
		if (!nr++ || sums[i] > sums[largest])
			largest = i;
		sum += sums[i];
	}
	if (nr > 1)
		snprintf(others, sizeof(others), " and of %zu more", nr - 1);
	if (nr && (log->verbose || sum > profile->nr_samples / 100))
		pp_warn(log,
			"%" PRIu64 " of %" PRIu64
			" samples have no %s: only symbols are stored of %s%s. " PP_GONE_WAYS,
			sum, profile->nr_samples, what, profile->binaries[largest].title, others);
	free(sums);
	return 0;
}
