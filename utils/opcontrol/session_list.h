/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_list.h -- the output of opcontrol --list-sessions.
 */
#ifndef UTILS_OPCONTROL_SESSION_LIST_H
#define UTILS_OPCONTROL_SESSION_LIST_H

#include <stdio.h>

#include "libop/base/reason.h"

/* Print the sessions of a session directory: samples, size on disk, first and last time. */
int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error);

#endif
