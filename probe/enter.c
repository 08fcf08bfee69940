// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * enter.c -- entering the probe to count a call, and deferring the program's signals during the
 * call.
 */
#include "config.h"

#include <signal.h>

#include "probe/linux/calls.h"
#include "probe/probe.h"
#include "probe/wrap/actions.h"
#include "probe/wrap/threads.h"

static void release_deferred(void)
{
	uint64_t now = process_thread.deferred;

	process_thread.deferred = 0;
	arch_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&now, 0, sizeof(now), 0, 0);
}

bool probe_defers(int sig, const siginfo_t *info, void *context)
{
	uint64_t bit = 1ULL << (sig - 1), mask;
	ucontext_t *c = context;

	if (!process_thread.is_counting) {
		if (process_thread.deferred)
			release_deferred();
		return false;
	}
	if (info->si_code > 0 && !(bit & actions_all_but_raised()))
		return false;
	/* The program may have unblocked the signal in its own handler. Block the signal again, so
	 * that it stays pending. */
	arch_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&bit, 0, sizeof(bit), 0, 0);
	if (arch_call(SYS_rt_tgsigqueueinfo, call_getpid(), arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0),
		      sig, (long)info, 0, 0))
		return false;
	__builtin_memcpy(&mask, &c->uc_sigmask, sizeof(mask));
	mask |= bit;
	__builtin_memcpy(&c->uc_sigmask, &mask, sizeof(mask));
	process_thread.deferred |= bit;
	return true;
}

bool probe_enter(struct state **state)
{
	if (process_thread.is_counting || !probe_is_on())
		return false;
	process_thread.is_counting = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!process_thread.is_known)
		threads_report();
	*state = process_thread.state;
	return true;
}

void probe_leave(void)
{
	process_thread.is_counting = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (process_thread.deferred)
		release_deferred();
}

void probe_allocates(bool is_ours)
{
	if (is_ours)
		process_thread.is_counting = true;
	else
		probe_leave();
}
