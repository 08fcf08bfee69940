/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/wakers.h -- samples of the threads and interrupts that end waits.
 *
 * A probe of the tracepoint sched_waking runs when a thread is woken. If samples are due in the
 * thread's account (threads.h) for the wait until then, the waker gets the same number of samples,
 * with the event of the wait. The place of the samples depends on the waker:
 *
 *   a thread of a program: the address to which it returns in its program;
 *   a thread of the kernel, a thread that exits, or an interrupt: the kernel's function that woke
 *   the thread.
 *
 * The file at this address is looked up only if the wait has a sample, and by the waker itself, as
 * for any other sample. The samples that a dump takes of a wait that goes on (ongoing.h) have no
 * waker.
 *
 * The time from the wake-up until the thread gets a CPU belongs to the wait, but not to the waker.
 * So a wait has at most as many samples of its waker as of the wait itself.
 */
#ifndef OPROFILE_OFFCPU_WAKERS_H
#define OPROFILE_OFFCPU_WAKERS_H

#include <linux/sched.h>
#include <linux/types.h>

#include "offcpu/threads.h"

struct dentry;
struct oprofile_sampling;
struct tracepoint;

struct oprofile_wakers {
	/* settings; protected by the sampling's lock, and unchanged while `buffer` is open */
	unsigned long wanted;		/* 1: sample wakers */
	/* addresses of the kernel's functions that wake threads on behalf of their callers:
	 * try_to_wake_up(), complete(), ...; 0: unknown */
	unsigned long start, end;

	struct oprofile_sampling *s;
	const struct oprofile_offcpu_threads *threads;
	const unsigned long *period;	/* the members of struct oprofile_offcpu */
	const unsigned long *event;
	/* the tracepoint that has the probe; NULL: the probe is not attached */
	struct tracepoint *tracepoint;
};

int oprofile_wakers_create_files(struct oprofile_wakers *w, struct dentry *dir);

/* Attach the probe to @tp, if the setting asks for it, before threads have entries. @tp may be
 * NULL. Return 0 or a negative errno. */
int oprofile_wakers_start(struct oprofile_wakers *w, struct tracepoint *tp);
/* Detach the probe. The caller calls tracepoint_synchronize_unregister() before it frees the
 * threads. Idempotent. */
void oprofile_wakers_stop(struct oprofile_wakers *w);

/* Store the program of the current task in its entry @t. Called with interrupts off. */
void oprofile_wakers_note_program(struct oprofile_wakers *w, struct oprofile_offcpu_thread *t);

/* Prepare the entry @t of the current task, which leaves its CPU. Called with interrupts off. */
static inline void oprofile_wakers_leave(struct oprofile_wakers *w,
					 struct oprofile_offcpu_thread *t)
{
	if (unlikely(READ_ONCE(w->tracepoint)) &&
	    unlikely(!t->program || t->exec_id != (u32)current->self_exec_id))
		oprofile_wakers_note_program(w, t);
}

#endif
