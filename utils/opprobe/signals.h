/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h -- forwarding signals to a command that is in the same process group as opprobe.
 *
 * A signal that was sent to the whole process group has also reached the command, and must not be
 * forwarded. A signal does not show whether it was sent to one process or to the group. A bystander
 * process shows that: it is in the group, blocks all signals and so keeps them pending.
 */
#ifndef UTILS_OPPROBE_SIGNALS_H
#define UTILS_OPPROBE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/shared/run_command.h"

struct probe_signals {
	struct run_command *command;
	bool reports;		/* print a line for each signal that is forwarded */
	pid_t parent, bystander;
	/* number of bystanders so far. Bystanders use two stacks in turn, because the next
	 * bystander starts before the last one ends */
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
