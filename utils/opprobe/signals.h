/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h -- signals that are meant for a command, and come to its parent.
 *
 * One that was sent to the whole process group has reached the command already, and must not come to it twice. A signal
 * does not say to whom else it was sent, but a bystander knows: a process of the group that blocks all signals and keeps
 * what it gets.
 */
#ifndef UTILS_OPPROBE_SIGNALS_H
#define UTILS_OPPROBE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/shared/held_command.h"

struct probe_signals {
	int fd;			/* signalfd(2) */
	pid_t parent, bystander;
	unsigned int nr_stacks;	/* of bystanders that there were: the next one begins before the last ends */
	_Alignas(16) char stacks[2][4096];
};

/* Blocks them; to be called before the command is forked. */
int probe_signals_open(struct probe_signals *s, struct op_reason *error);

/* Forward signals to @command until it ends, and report each signal if @tells is set. Return 0 with
 * the wait(2) status in *@status, or a negative errno. */
int probe_signals_wait(struct probe_signals *s, struct held_command *command, int *status, bool tells);

void probe_signals_close(struct probe_signals *s);

#endif
