/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h -- the one process that the probe is in, for what the program calls: calls.c, user.c.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "probe/run.h"

/* Begins to count, as the words of $OPPROBE say, which must stay where they are. Nothing is counted yet. */
void probe_begin(const char *text);

/* The same as $OPPROBE says, or if there is none as it would without a word; but once. */
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

/* What is counted of this process; there is always one, which may be closed. */
struct run *probe_run(void);

/*
 * Begins to count a call of this thread: what it allocates until probe_leave() is ours. False: nothing is to be counted, as
 * the probe is off, or the thread is at it already. Not a system call: there are millions. *@state may be NULL, which is a
 * loss to be counted. No handler of the program's comes between: hook_defers().
 */
bool probe_enter(struct state **state);

/* Whether the thread is between these two. */
bool probe_is_entered(void);
void probe_leave(void);

/* Whether this process is counted at all. */
bool probe_is_on(void);
/* Whether this is the process that began to be counted, and no child of it, however made, that has not begun itself: such a one has
 * nothing of what is counted in files. */
bool probe_is_here(void);
/* What is kept of the calling thread; NULL: nothing. */
struct state *probe_state(void);
/* ... and not just now, as the program has said so. */
bool probe_is_stopped(void);

/* No thread is sampled any more, or all that were are again. */
void probe_pause(bool pauses);

/* Children that are forked from now on are not sampled, or are again. */
void probe_detach(bool is_detached);

/* What has come for samples of the calling thread, which blocks all signals, is lost: a handler would end the sleep that the thread was
 * called out of. */
void probe_lose_pending(void);

#endif
