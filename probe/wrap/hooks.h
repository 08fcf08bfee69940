/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h -- hooks that replaced functions of the C library call in the collector.
 */
#ifndef PROBE_WRAP_HOOKS_H
#define PROBE_WRAP_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Called before and after exec*(), in children of vfork() too; @kept passes data from the first to
 * the second. */
void hook_before_exec(long kept[4]);
void hook_exec_failed(const long kept[4]);

/* Called in a thread that begins, and in one that ends. wrap/ calls the first once it is able to
 * report the end. For a thread that was not announced, wrap/ defines hook_thread_shows(), and
 * hook_thread_is_met() for handlers. */
void hook_thread_begins(bool in_handler);
void hook_thread_shows(void);
void hook_thread_is_met(void);
void hook_thread_ends(void);

/* Mark the calling thread's allocations as ours or, again, as the program's. */
void hook_allocates(bool is_ours);

/* Called when a signal for a handler of the program's has arrived. Return true to defer it because
 * the probe is working in this thread: a handler that leaves by siglongjmp(), or forks, would leave
 * its trees inconsistent. The signal is then blocked and delivered after the work. */
bool hook_defers(int sig, const siginfo_t *info, void *context);

/* Return the signals that must not be blocked, signal n as bit n - 1. */
uint64_t hook_own_signals(void);

/* Return whether this is the collector's process, and not a child of vfork(), for example. */
bool hook_is_here(void);

/* Called when a signal has arrived that may end the program. Does not return if the collector
 * itself caused the fault. */
void hook_crashed(const siginfo_t *info, const void *context);

/* Called when the process ends. */
void hook_leaving(void);

/* Called before seccomp filters the system calls, by which the kernel may end the program. @kills:
 * a filter may also end a program that this process executes. */
void hook_filters(bool kills);

/* Called before and after dlclose(). */
void hook_unloading(void);
void hook_unloaded(void);

#endif
