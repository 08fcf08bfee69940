// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c -- compares names with what was asked for. */
#include "config.h"
#include "pp/profile/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* A terminal shows names shorter than a pipe does: one copied from there is the same symbol. */
enum { RAW, FULL, SMART, NR_FORMS };

static bool match(const struct pp_values *v, char *const *forms)
{
	for (int i = 0; i < NR_FORMS; i++)
		if (pp_values_match(v, forms[i]))
			return true;
	return false;
}

int pp_filter_wants(const struct pp_profile_options *options, const char *raw)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;
	char *forms[NR_FORMS];
	int wants = 1;

	if (!(include && include->nr) && !(exclude && exclude->nr))
		return 1;
	forms[RAW] = pp_demangle(raw, PP_DEMANGLE_NONE);
	forms[FULL] = pp_demangle(raw, PP_DEMANGLE_NORMAL);
	forms[SMART] = pp_demangle(raw, PP_DEMANGLE_SMART);
	if (!forms[RAW] || !forms[FULL] || !forms[SMART])
		wants = -ENOMEM;
	else if (exclude && exclude->nr && match(exclude, forms))
		wants = 0;
	else if (include && include->nr)
		wants = match(include, forms);
	for (int i = 0; i < NR_FORMS; i++)
		free(forms[i]);
	return wants;
}
