/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h -- a warning of samples in binaries that no longer exist, and of which only names were
 * kept.
 */
#ifndef PP_PROFILE_GONE_H
#define PP_PROFILE_GONE_H

#include "pp/profile/profile.h"

/* How to find the binaries, for a message about one or several. */
#define PP_GONE_WAYS "Lines and assembly need the binary itself: --image-path=DIR or --root=DIR name where it is " \
	"now, --debuginfod asks the servers of $DEBUGINFOD_URLS for it, and oparchive takes it along while it is there"

/* Warn if more than 1 % of the samples have no @what ("source lines") for that reason; if @log
 * is verbose, of any number. Return 0 or -ENOMEM. */
int pp_gone_tell(const struct pp_profile *profile, const char *what, struct pp_log *log);

#endif
