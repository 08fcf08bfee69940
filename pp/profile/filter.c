// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c -- comparison of names with the options' globs. */
#include "config.h"
#include "pp/profile/filter.h"

#include <errno.h>
#include <stdbool.h>

/* A terminal shows shorter names than a pipe, and users copy names from both, so all forms of a
 * name match. */
enum { RAW, FULL, SMART, NR_FORMS };

static bool matches_a_form(const char *glob, const char *const *forms)
{
	for (int i = 0; i < NR_FORMS; i++)
		if (pp_value_matches(glob, forms[i]))
			return true;
	return false;
}

/* Compare with all globs, even after a match: @met shows which globs match nothing. */
static bool match(const struct pp_values *v, const char *const *forms, bool *met)
{
	bool any = false;

	for (size_t i = 0; i < v->nr; i++) {
		if (!matches_a_form(v->items[i], forms))
			continue;
		any = true;
		if (met)
			__atomic_store_n(&met[i], true, __ATOMIC_RELAXED);
	}
	return any;
}

int pp_filter_wants(const struct pp_profile_options *options, struct pp_demangler *demangler,
		    const char *raw)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;
	const char *forms[NR_FORMS];
	bool wants;

	if (!(include && include->nr) && !(exclude && exclude->nr))
		return 1;
	forms[RAW] = raw;
	forms[FULL] = pp_demangle(demangler, raw, PP_DEMANGLE_NORMAL);
	forms[SMART] = pp_demangle(demangler, raw, PP_DEMANGLE_SMART);
	if (!forms[FULL] || !forms[SMART])
		return -ENOMEM;
	wants = !include || !include->nr || match(include, forms, options->include_met);
	if (exclude && match(exclude, forms, options->exclude_met))
		wants = false;
	return wants;
}
