/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- which symbols a report is about: --include-symbols and --exclude-symbols.
 */
#ifndef PP_PROFILE_FILTER_H
#define PP_PROFILE_FILTER_H

#include "pp/image/demangle.h"
#include "pp/profile/profile.h"

/* @raw: the name as the binary has it, or what stands for one; its other forms match too. 0, 1, or
 * -ENOMEM. */
int pp_filter_wants(const struct pp_profile_options *options, struct pp_demangler *demangler, const char *raw);

#endif
