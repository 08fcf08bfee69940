/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h -- what functions of the C library that a preloaded library stands in for tell the collector.
 */
#ifndef PROBE_WRAP_HOOKS_H
#define PROBE_WRAP_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Around exec*(): @kept is what the second wants back. In children of vfork() too. */
void hook_before_exec(long kept[4]);
void hook_exec_failed(const long kept[4]);

/* A thread begins, and ends: in that thread. The first is called by wrap/ when it knows how to tell of the end; for a thread
 * that nobody has told of, hook_thread_shows() is there, and hook_thread_is_met() for handlers, which are wrap/'s. */
void hook_thread_begins(bool in_handler);
void hook_thread_shows(void);
void hook_thread_is_met(void);
void hook_thread_ends(void);

/* What this thread allocates is ours from now on, or the program's again. */
void hook_allocates(bool is_ours);

/*
 * A signal has come for a handler of the program's. True: not now, as the probe is at work in this thread: who leaves a
 * handler by siglongjmp(), or forks in it, would leave its trees half changed. It is blocked, and comes when that is done.
 */
bool hook_defers(int sig, const siginfo_t *info, void *context);

/* Signals that may not be blocked, signal n as bit n - 1. */
uint64_t hook_own_signals(void);

/* Whether this is the process that the collector is in: not a child of vfork(), say. */
bool hook_is_here(void);

/* A signal has come that may end the program. Does not return when the collector itself has read what is not there. */
void hook_crashed(const siginfo_t *info, const void *context);

/* The process ends. */
void hook_leaving(void);

/* The kernel looks at each system call from now on, and may end the program for one. @kills: also one of a program that it becomes. */
void hook_filters(bool kills);

/* Around dlclose(). */
void hook_unloading(void);
void hook_unloaded(void);

#endif
