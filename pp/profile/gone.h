/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h -- a warning of samples in binaries that no longer exist, and of which only names were
 * kept.
 */
#ifndef PP_PROFILE_GONE_H
#define PP_PROFILE_GONE_H

#include "pp/profile/profile.h"

/* How to find the binaries, for a message about one or several. */
#define PP_GONE_WAYS                                                                               \
	"Lines and assembly need the binary itself: name its new place with --image-path=DIR or "    \
	"--root=DIR, download it with --debuginfod, or archive it with oparchive while it exists"

/* Warn if more than 1 % of the samples have no @what ("source lines") for that reason; if @log
 * is verbose, of any number. Return 0 or -ENOMEM. */
int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log);

#endif
