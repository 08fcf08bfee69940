/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_why.h -- reasons why call paths end early, by file, with remedies.
 */
#ifndef PP_FORMAT_PATH_WHY_H
#define PP_FORMAT_PATH_WHY_H

#include "pp/format/format.h"

/* Print a line for each of the largest reasons, if paths end early. Return 0 or -ENOMEM. */
int pp_path_why_largest(const struct pp_report *report);
/* Print a line for each reason, the largest first. Return 0 or -ENOMEM. */
int pp_path_why_all(const struct pp_report *report);

#endif
