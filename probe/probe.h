/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h -- functions that control the probe of this process. They are called by calls.c, user.c
 * and the functions for opattach(1).
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <signal.h>

#include "probe/core/process.h"

/* Start the probe with the options @text, in the syntax of $OPPROBE. Only valid if nothing is
 * counted yet. @text must stay in memory. */
void probe_begin(const char *text);

/* Start the probe with the options in $OPPROBE, or with defaults if it is not set. Idempotent. */
void probe_begin_once(void);

/*
 * Count the events of @words in addition to the existing events; skip events that are already
 * counted. Counting must be stopped and the drivers paused. This function starts sampling the
 * calling thread for the new events; each other thread must call probe_thread_adds(). Return 0;
 * -ENOTSUP if the program has its own metrics, or if only opprobe(1) can start an event, at the
 * program's start; -EEXIST if an event is already counted with another period; -ENOSPC, -E2BIG, or
 * the kernel's error. On error nothing is changed.
 */
int probe_add_events(const struct raw_probe_words *words);
/* Start sampling the calling thread for events that were added after the thread began. */
void probe_thread_adds(void);

/* Enter the probe to count a call of the calling thread. Until probe_leave(), the thread's
 * allocations are not counted and the program's signal handlers are deferred (probe_defers()).
 * Return false if the call must not be counted, because the probe is off or the thread is already
 * in the probe. If *@state is NULL, count the call as lost. Makes no system call once the thread
 * has a state. */
bool probe_enter(struct state **state);
void probe_leave(void);

/* Functions for struct hooks (wrap/hooks.h). probe_defers(): defer a signal while the thread is in
 * the probe. probe_allocates(): mark the thread's allocations from now on as the probe's own, or as
 * the program's. */
bool probe_defers(int sig, const siginfo_t *info, void *context);
void probe_allocates(bool is_ours);

/* Suspend sampling in all threads, or resume it. */
void probe_pause(bool pauses);

/* Stop or resume sampling of children that are forked from now on. */
void probe_detach(bool is_detached);

/*
 * Discard the pending sample signals of the calling thread and count them as lost. The thread must
 * have blocked all signals. Call this function before the thread waits in a system call that a
 * sample signal would interrupt.
 */
void probe_drop_pending(void);

#endif
