/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- the choice of symbols: --include-symbols and --exclude-symbols.
 */
#ifndef PP_PROFILE_FILTER_H
#define PP_PROFILE_FILTER_H

#include "pp/image/demangle.h"
#include "pp/profile/profile.h"

/* Return 1 if the report wants the symbol, else 0 or -ENOMEM. @raw: the name in the binary, or a
 * name for code without one; its other forms match, too. */
int pp_filter_wants(const struct pp_profile_options *options, struct pp_demangler *demangler,
		    const char *raw);

#endif
