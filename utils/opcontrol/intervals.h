/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h -- the lines of opcontrol --status about intervals: how far back they reach, and how
 * much space they take.
 */
#ifndef UTILS_OPCONTROL_INTERVALS_H
#define UTILS_OPCONTROL_INTERVALS_H

#include <stdio.h>

#include "libop/settings.h"

/* Print the lines. Print nothing if the session directory of @cfg has no intervals or cannot be
 * read. */
void ctl_intervals_print(FILE *out, const struct op_settings *cfg);

#endif
