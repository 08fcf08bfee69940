/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h -- functions of the collector that the replacements of C library functions call.
 */
#ifndef PROBE_WRAP_HOOKS_H
#define PROBE_WRAP_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Called before exec*(), and after an exec*() that failed; also in children of vfork(). @kept
 * passes data from the first call to the second. */
void hook_before_exec(long kept[4]);
void hook_exec_failed(const long kept[4]);

/* hook_thread_begins() is called in a thread that begins, and hook_thread_ends() in a thread that
 * ends. wrap/threads.c defines hook_thread_shows() and, for signal handlers, hook_thread_is_met():
 * the collector calls them in a thread whose begin was not reported. They call hook_thread_begins()
 * if the thread's end can be reported. */
void hook_thread_begins(bool in_handler);
void hook_thread_shows(void);
void hook_thread_is_met(void);
void hook_thread_ends(void);

/* Mark the allocations of the calling thread as the collector's own, which are not counted, or as
 * the program's. */
void hook_allocates(bool is_ours);

/* Called when a signal arrives for which the program has a handler. Return true to defer the
 * signal, because the thread is in the probe: a handler that forks or leaves by siglongjmp() would
 * leave the thread's trees inconsistent. A deferred signal is blocked and delivered when the thread
 * leaves the probe. */
bool hook_defers(int sig, const siginfo_t *info, void *context);

/* Return the set of signals that must not be blocked. Signal n is bit n - 1. */
uint64_t hook_own_signals(void);

/* Return whether the collector counts in this process. False, for example, in a child of
 * vfork(). */
bool hook_is_here(void);

/* Called when a signal of a crash arrives. Does not return if the collector itself caused the
 * fault. */
void hook_crashed(const siginfo_t *info, const void *context);

/* Called when the process ends. */
void hook_leaving(void);

/* Called before a seccomp filter is installed, after which the kernel may kill the process for the
 * collector's system calls. @kills: the filter would also kill programs that this process
 * executes. */
void hook_filters(bool kills);

/* Called before and after dlclose(). */
void hook_unloading(void);
void hook_unloaded(void);

#endif
