// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c -- compares names with what was asked for. */
#include "config.h"
#include "pp/profile/filter.h"

int pp_filter_wants(const struct pp_profile_options *options, const char *raw, const char *name)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;

	if (exclude && exclude->nr &&
	    (pp_values_match(exclude, raw) || pp_values_match(exclude, name)))
		return 0;
	if (include && include->nr)
		return pp_values_match(include, raw) || pp_values_match(include, name);
	return 1;
}
