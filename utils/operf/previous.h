/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * previous.h -- the profile that is there when another one begins: kept as the session "previous"
 * once the new one samples, and back in its place when that cannot be.
 *
 * Until it is known which of both, it is the session "replaced": whoever kills operf just then still has
 * it, and the next operf brings it to where it belongs.
 */
#ifndef UTILS_OPERF_PREVIOUS_H
#define UTILS_OPERF_PREVIOUS_H

#include "libop/base/reason.h"

/* All return 0, or negative errno with text; there being no profile is none. */

/* Before a daemon starts in @session_dir. */
int operf_previous_set_aside(const char *session_dir, struct op_reason *error);

/* The new one samples. */
int operf_previous_keep(const char *session_dir, struct op_reason *error);

/* There is no new one, and no daemon any more. */
int operf_previous_take_back(const char *session_dir, struct op_reason *error);

#endif
