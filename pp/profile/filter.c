// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c -- compares names with what was asked for. */
#include "config.h"
#include "pp/profile/filter.h"

#include <errno.h>
#include <stdbool.h>

/* A terminal shows names shorter than a pipe does: one copied from there is the same symbol. */
enum { RAW, FULL, SMART, NR_FORMS };

static bool match(const struct pp_values *v, const char *const *forms)
{
	for (int i = 0; i < NR_FORMS; i++)
		if (pp_values_match(v, forms[i]))
			return true;
	return false;
}

int pp_filter_wants(const struct pp_profile_options *options, struct pp_demangler *demangler, const char *raw)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;
	const char *forms[NR_FORMS];

	if (!(include && include->nr) && !(exclude && exclude->nr))
		return 1;
	forms[RAW] = raw;
	forms[FULL] = pp_demangle(demangler, raw, PP_DEMANGLE_NORMAL);
	forms[SMART] = pp_demangle(demangler, raw, PP_DEMANGLE_SMART);
	if (!forms[FULL] || !forms[SMART])
		return -ENOMEM;
	if (exclude && exclude->nr && match(exclude, forms))
		return 0;
	return !include || !include->nr || match(include, forms);
}
