/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- call-graph files of a session that was saved.
 */
#ifndef UTILS_OPCONTROL_ARCS_H
#define UTILS_OPCONTROL_ARCS_H

#include <stdio.h>

#include "libop/base/reason.h"

/*
 * Make the arcs from the session's call paths, and report them on @out. Return 0 or a negative
 * errno with text.
 */
int ctl_arcs_make(const char *session_dir, const char *name, FILE *out, struct op_reason *error);

#endif
