/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frequency.h -- conversion of --frequency=HZ to an event of the timer.
 */
#ifndef UTILS_SHARED_FREQUENCY_H
#define UTILS_SHARED_FREQUENCY_H

#include "libop/base/reason.h"

/*
 * Store the malloc'd name of the event that samples @text times a second in *@ret. Return 0, or a
 * negative errno with a message in @error.
 */
int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error);

#endif
