/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed.h -- a report of binaries whose symbols are missing, with remedies.
 */
#ifndef PP_PROFILE_UNNAMED_H
#define PP_PROFILE_UNNAMED_H

#include <stdbool.h>
#include <stdio.h>

#include "pp/profile/profile.h"

/* Print lines about binaries with a large share of samples without symbols, if there are any;
 * not for differential profiles. @command: this report's command line, for a shell; @asked: the
 * report has asked the servers of debug files. Return 0 or -ENOMEM. */
int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out);

#endif
