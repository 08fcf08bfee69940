/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions.h -- handling of signals: the signals that end programs reach the probe first, and the
 * signal of samples stays the probe's.
 *
 * A table stores the program's actions for these signals and returns them to the program. The
 * kernel has our handler instead, with the program's mask and flags. It calls the program's handler
 * as the kernel would. Without one, it lets the signal arrive again with the default action: the
 * same wait status, the same core. Where calls are counted, all signals that the program handles
 * reach us first, because a handler may have to be deferred (hook_defers()).
 */
#ifndef PROBE_WRAP_ACTIONS_H
#define PROBE_WRAP_ACTIONS_H

#include <signal.h>
#include <stdint.h>

/* Handle the signals of crashes from now on. */
void actions_begin(void);
/* Give those signals back to the program, but keep the one of samples: some may still arrive. */
void actions_end(void);
/* Handle all signals that the program has handlers for, in order to defer them: hook_defers().
 * Idempotent. */
void actions_defer(void);

/* Use @sig as the signal of samples and give the former one back to the program. @mask: signals
 * blocked in @handler, because another handler could leave it by siglongjmp(). Return 0 or a
 * negative errno. */
int actions_take(int sig, void (*handler)(int sig, siginfo_t *info, void *context), uint64_t mask);

/* Return the signals that can be deferred: all but those raised by the CPU. */
uint64_t actions_all_but_raised(void);

/* Pass on a signal of samples that is not a sample. */
void actions_forward(int sig, siginfo_t *info, void *context);

/* Give this thread's handlers a stack of their own, unless the program has set one. *@stack is
 * allocated if it is NULL. */
void actions_thread_begins(void **stack);
void actions_thread_ends(void);

#endif
