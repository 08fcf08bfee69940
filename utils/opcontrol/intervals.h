/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h -- the lines of opcontrol --status about intervals: how far back they reach, and how
 * much space they take.
 */
#ifndef UTILS_OPCONTROL_INTERVALS_H
#define UTILS_OPCONTROL_INTERVALS_H

#include <stdio.h>

#include "libop/settings.h"

/* Print the lines. @running: the value of "intervals" in the answer of the daemon that uses the
 * session directory of @cfg; NULL if no daemon answered, then the settings are those of @cfg. Print
 * nothing if the session directory has no intervals or cannot be read. */
void ctl_intervals_print(FILE *out, const struct op_settings *cfg, const char *running);

#endif
