/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_list.h -- what opcontrol --list-sessions prints.
 */
#ifndef UTILS_OPCONTROL_SESSION_LIST_H
#define UTILS_OPCONTROL_SESSION_LIST_H

#include <stdio.h>

#include "libop/base/reason.h"

/* The sessions of a session directory: samples, size on disk, and from when to when. */
int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error);

#endif
