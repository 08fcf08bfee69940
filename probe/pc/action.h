/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action.h -- access to signal actions by system calls, without the C library.
 */
#ifndef PROBE_PC_ACTION_H
#define PROBE_PC_ACTION_H

#include <signal.h>

#include "probe/linux/calls.h"

ARCH_RESTORER(pc_restorer);

typedef void (*pc_handler)(int sig, siginfo_t *info, void *context);

struct pc_action {
	pc_handler handler;	/* the signal's handler; NULL: the signal has the default action */
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static inline long pc_action_set(int sig, pc_handler handler)
{
	struct pc_action action = {
		.handler = handler,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | ARCH_SA_RESTORER,
		.restorer = (void (*)(void))pc_restorer,
	};

	return arch_call(SYS_rt_sigaction, sig, (long)&action, 0, 8, 0, 0);
}

static inline long pc_action_get(int sig, pc_handler *handler)
{
	struct pc_action action;
	long err = arch_call(SYS_rt_sigaction, sig, 0, (long)&action, 8, 0, 0);

	if (!err)
		*handler = action.handler;
	return err;
}

#endif
