/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h -- forwards signals to a command that is in the same process group as opprobe.
 *
 * A signal that was sent to the whole process group has also reached the command, so it must not be
 * forwarded. siginfo does not show whether a signal was sent to a process or to the group. So a
 * third process in the group, the bystander, blocks all signals: a signal for the group is pending
 * there.
 */
#ifndef UTILS_OPPROBE_SIGNALS_H
#define UTILS_OPPROBE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/shared/run_command.h"

struct probe_signals {
	struct run_command *command;
	bool reports;		/* whether to print a line for each forwarded signal */
	pid_t parent, bystander;
	/* number of bystanders that were created. Two stacks are used alternately, because a
	 * bystander starts before the previous one ends */
	unsigned int nr_stacks;
	_Alignas(16) char stacks[2][4096];
};

/*
 * Block the signals to forward, and make run_command_poll() forward them to @command. Call this
 * before the command is forked. Return 0, or a negative errno with a message in @error.
 */
int probe_signals_open(struct probe_signals *s, struct run_command *command, bool reports,
		       struct op_reason *error);

void probe_signals_close(struct probe_signals *s);

#endif
