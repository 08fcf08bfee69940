/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions.h -- the signals that end programs come here first, and the one that samples come by stays ours.
 *
 * What the program does about these signals is kept in a table and told back to it; the kernel knows our handler in its
 * place, with the program's mask and flags. The program's handler is called as the kernel would have, and where it has
 * none, the signal comes once more and does what it does without us: the same wait status, the same core. Where calls are
 * counted all signals that the program handles come here first: a handler may have to wait (hook_defers()).
 */
#ifndef PROBE_WRAP_ACTIONS_H
#define PROBE_WRAP_ACTIONS_H

#include <signal.h>
#include <stdint.h>

/* Of crashes, from now on. */
void actions_begin(void);
/* The same are the program's again, but for that of samples: some may be on their way. */
void actions_end(void);
/* And of all that the program has handlers for, which may have to wait: hook_defers(). More than once is no harm. */
void actions_defer(void);

/* The signal of samples is @sig from now on, in place of the last one, which is the program's again. No other handler may
 * interrupt @handler, as that could leave by siglongjmp(): @mask. 0 or negative errno. */
int actions_take(int sig, void (*handler)(int sig, siginfo_t *info, void *context), uint64_t mask);

/* Signals that can wait: what the CPU itself raises cannot. */
uint64_t actions_all_but_raised(void);

/* The signal of samples has come, but not with one. */
void actions_forward(int sig, siginfo_t *info, void *context);

/* This thread's handlers have a stack of their own, unless the program gave it one: *@stack, which is made when it is NULL. */
void actions_thread_begins(void **stack);
void actions_thread_ends(void);

#endif
