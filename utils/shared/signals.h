/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h -- the signals that concern a program that watches a command: taken one by one.
 */
#ifndef UTILS_SHARED_SIGNALS_H
#define UTILS_SHARED_SIGNALS_H

#include "libop/base/reason.h"

/*
 * Block SIGINT, SIGTERM, SIGCHLD, and SIGHUP unless the caller ignores it, as nohup(1) does. Return a non-blocking
 * signalfd(2) of them, or a negative errno with text.
 */
int ctl_signals_open(struct op_reason *error);

/*
 * Return the exit status for the wait(2) status of a command: 128 + N when signal N killed it. In
 * that case print "PROGRAM: COMMAND was killed by signal 11 (Segmentation fault)", except for
 * SIGINT and SIGPIPE, which end commands every day, and for @sent, the signal that PROGRAM itself
 * sent to the command (0: no signal).
 */
int ctl_command_status(const char *program, const char *command, int status, int sent);

#endif
