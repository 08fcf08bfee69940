/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h -- forwarding of signals to a command that is in the same process group.
 *
 * A signal to the whole process group reaches the command, too, and must not reach it twice. A
 * signal does not say whether it was sent to the group, so a bystander finds out: a process of the
 * group that blocks all signals and keeps them pending.
 */
#ifndef UTILS_OPPROBE_SIGNALS_H
#define UTILS_OPPROBE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/shared/run_command.h"

struct probe_signals {
	struct run_command *command;
	bool reports;		/* report each signal that is forwarded */
	pid_t parent, bystander;
	/* of all bystanders so far: the next one begins before the last one ends */
	unsigned int nr_stacks;
	_Alignas(16) char stacks[2][4096];
};

/*
 * Block the signals, and make run_command_poll() forward them to @command, before it is forked.
 * Return 0, or a negative errno with text.
 */
int probe_signals_open(struct probe_signals *s, struct run_command *command, bool reports,
		       struct op_reason *error);

void probe_signals_close(struct probe_signals *s);

#endif
