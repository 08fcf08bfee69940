/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed.h -- tells whose symbols are missing from a list of symbols, and how to have them.
 */
#ifndef PP_PROFILE_UNNAMED_H
#define PP_PROFILE_UNNAMED_H

#include <stdbool.h>
#include <stdio.h>

#include "pp/profile/profile.h"

/* Writes lines about binaries that have a large share of the samples where no symbol covers them, if there are any; not
 * for differential profiles. @command: this report's command line, for a shell; @asked: it asked the servers of debug
 * files already. -ENOMEM. */
int pp_unnamed_tell(const struct pp_profile *profile, const char *command, bool asked, FILE *out);

#endif
