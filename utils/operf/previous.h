/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * previous.h -- the profile that exists when a new one begins: it becomes the session "previous"
 * once the new profile has samples, and is restored otherwise. In the meantime it is the session
 * ".replaced": if operf is killed, the next operf finds and restores it.
 */
#ifndef UTILS_OPERF_PREVIOUS_H
#define UTILS_OPERF_PREVIOUS_H

#include "libop/base/reason.h"

/* All functions return 0, also without a profile, or a negative errno with text. */

/* Rename the profile to "replaced", before a daemon starts in @session_dir. */
int operf_previous_set_aside(const char *session_dir, struct op_reason *error);

/* Rename "replaced" to "previous", once the new profile has samples. */
int operf_previous_keep(const char *session_dir, struct op_reason *error);

/* Restore the profile, when there is no new profile and no daemon. */
int operf_previous_take_back(const char *session_dir, struct op_reason *error);

#endif
