/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h -- the probe of this process, for the program's calls: calls.c, user.c.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "probe/run.h"

/* Begin as the words of $OPPROBE say, without counting yet. @text must stay in memory. */
void probe_begin(const char *text);

/* Begin as $OPPROBE says, or with defaults without it. Idempotent. */
void probe_begin_once(void);

/*
 * Count the events of @words in addition to the present ones; events that are counted already stay
 * unchanged. Counting must be stopped and the drivers paused. The calling thread is sampled for the
 * new events; each other thread has to call probe_thread_adds(). Return 0; -ENOTSUP if the program
 * has its own metrics or if an event can only be begun by opprobe(1) at the program's start;
 * -EEXIST if an event is counted with another period; -ENOSPC, -E2BIG, or the error of the kernel.
 * On errors nothing is changed.
 */
int probe_add_events(const struct raw_probe_words *words);
/* Begin the events that were added since the calling thread began. */
void probe_thread_adds(void);

/* Return the run of this process, which may be closed. */
struct run *probe_run(void);

/* Begin to count a call of this thread: its allocations up to probe_leave() are ours. Return false
 * if the call is not to be counted, because the probe is off or the thread is counting already.
 * This makes no system call, because programs call it millions of times. *@state may be NULL: count
 * a loss. The program's handlers are deferred: hook_defers(). */
bool probe_enter(struct state **state);
void probe_leave(void);

/* Return whether this process is being counted. */
bool probe_is_on(void);
/* Return whether this is the process that began, and not a child of it, however made, that has not
 * begun by itself: such a child has no access to the counts in files. */
bool probe_is_here(void);
/* Return the state of the calling thread, or NULL. */
struct state *probe_state(void);
/* Return whether the program has stopped counting. */
bool probe_is_stopped(void);

/* Suspend sampling of all threads, or resume it. */
void probe_pause(bool pauses);

/* Do not sample children forked from now on, or sample them again. */
void probe_detach(bool is_detached);

/* Discard the pending sample signals of the calling thread, which blocks all signals: a handler
 * would end the system call in which the thread waits. */
void probe_lose_pending(void);

#endif
