/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions.h -- replacements of sigaction() and similar functions: crash signals reach the probe
 * before the program's handlers, and the program cannot change the action of the sample signal.
 *
 * A table stores the actions that the program sets for these signals, and sigaction() returns them
 * from the table. In the kernel, the action is the probe's handler, with the program's mask and
 * flags. The probe's handler calls the program's handler as the kernel would. If the program has no
 * handler, the signal is sent again with the default action, so that the wait status and the core
 * dump are the same. If calls are counted, all signals for which the program has a handler go
 * through the probe's handler, because they may have to be deferred (struct hooks, .defers).
 */
#ifndef PROBE_WRAP_ACTIONS_H
#define PROBE_WRAP_ACTIONS_H

#include <signal.h>
#include <stdint.h>

/* Start handling crash signals, such as SIGSEGV. */
void actions_begin(void);
/* Restore the program's actions of all signals. Exception: keep the probe's handler of the sample
 * signal, because a sample signal may still arrive. */
void actions_end(void);
/* Start handling all signals for which the program has a handler, so that they can be deferred
 * (struct hooks, .defers). Idempotent. */
void actions_defer(void);

/*
 * Handle the sample signal @sig by @handler. If another signal was the sample signal before,
 * restore the program's action for it. @mask: signals to block while @handler runs, because a
 * handler of the program could leave @handler by siglongjmp(). Return 0 or a negative errno.
 */
int actions_set(int sig, void (*handler)(int sig, siginfo_t *info, void *context), uint64_t mask);

/* Return the signals that can be deferred: all except signals raised by the CPU, and SIGABRT.
 * Signal n is bit n - 1. */
uint64_t actions_all_but_raised(void);

/* Call the program's handler for a signal that has the number of the sample signal, but is not a
 * sample. */
void actions_forward(int sig, siginfo_t *info, void *context);

/* Set an alternate signal stack for the calling thread, unless the program has set one. *@stack:
 * the memory of the stack; allocated if *@stack is NULL. */
void actions_thread_begins(void **stack);
void actions_thread_ends(void);

#endif
