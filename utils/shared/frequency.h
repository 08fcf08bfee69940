/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frequency.h -- another way to write the timer.
 */
#ifndef UTILS_SHARED_FREQUENCY_H
#define UTILS_SHARED_FREQUENCY_H

#include "libop/base/reason.h"

/* The event (malloc'd) that samples so many times a second. 0, or negative errno with text. */
int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error);

#endif
