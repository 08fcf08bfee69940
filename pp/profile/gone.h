/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h -- tells of samples in binaries that are not here any more: their names were kept, and nothing else.
 */
#ifndef PP_PROFILE_GONE_H
#define PP_PROFILE_GONE_H

#include "pp/profile/profile.h"

/* How to have the rest, for a message about one binary or several. */
#define PP_GONE_WAYS "Lines and assembly need the binary itself: --image-path=DIR or --root=DIR name where it is " \
	"now, --debuginfod asks the servers of $DEBUGINFOD_URLS for it, and oparchive takes it along while it is there"

/* Warns when more than a hundredth of the samples have no @what, "source lines", for that reason; when
 * @log is verbose, of any. -ENOMEM. */
int pp_gone_tell(const struct pp_profile *profile, const char *what, struct pp_log *log);

#endif
