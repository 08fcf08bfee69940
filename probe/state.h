/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h -- the state of one sampled thread: its trees, its last known stack, its losses.
 *
 * A state belongs to one thread from state_take() to state_leave(). Only that thread, or its signal
 * handler, writes to it. Later a new thread takes the state and continues its trees: threads that
 * have ended share trees, and no trees are merged. States are never freed. Others may read .inside
 * at any time.
 */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "probe/backtrace.h"
#include "probe/cct.h"
#include "probe/driver/driver.h"
#include "probe/marker.h"

struct state {
	struct state *next;		/* of all states; set once */
	int taken;			/* atomic: a thread owns it */
	int inside;			/* atomic: the owner is in its handler */
	struct driver_threads driver;
	struct arena arena;
	uint32_t thread;		/* struct raw_live_thread */
	const struct epoch *epoch;	/* the epoch of .cct; NULL: no tree yet */
	struct cct cct;
	struct backtrace bt;
	struct marker marker;
	void *escape[5];		/* where execution continues after a fault */
	void *stack;			/* for signals; wrap/actions.c */
	const void *last_block;		/* the last block that the thread allocated */
	uint64_t seed;			/* of the thread's random numbers; not 0 */
	int64_t heap_held;		/* bytes not yet added by heap_add() */
};

/* The pool of states; one in a process. */
struct states {
	struct state *first;		/* atomic */
	struct arena_file *file;
	struct raw_live_run *run;	/* header of the file */
	struct epochs *epochs;
	uint32_t nr;			/* atomic */
	bool by_function;		/* leaves are functions, not addresses */
	bool by_thread;			/* no thread continues another thread's trees */
	struct marker_rules marks;
	const void *calls_us;		/* atomic: the code most recently recognized as ours */
	uint64_t memory;		/* initial memory of each state */
	struct unsafe unsafe;		/* code in which no sample is taken */
};

/* Take a state for this thread, whose stack lies between @low and @high (both 0: unknown). Return
 * NULL without memory. */
struct state *state_take(struct states *states, uint32_t tid, uint64_t low, uint64_t high);
void state_leave(struct state *state);

/* Take a sample of the state's thread, which a signal has interrupted at @context. Count it exactly
 * once: as @weight of @metric, or as lost. */
void state_sample(struct states *states, struct state *state, const void *context, uint32_t metric,
		  uint64_t weight);

/* Do the same for an event that is not a sample, and count it only if its path is found. */
void state_count(struct states *states, struct state *state, const void *context, uint32_t metric);

/* Count a signal for CPU time in this thread, whichever event it counts. */
void state_signal(struct state *state);

/* Return whether @ip is in our own code: the probe, and libraries that replace functions. */
bool states_is_own(const struct states *states, uint64_t ip);

/* Return the node of the caller of our code, or of our replacement of a C library function.
 * @context is in our code. @caller: that caller, or NULL if it is unknown. @unwinds above 1: the
 * caller's caller, and so on. Return NULL if there is no node; then the call is a loss. Not for
 * handlers. */
struct raw_live_node *state_call(struct states *states, struct state *state, const void *context,
				 const struct arch_caller *caller, uint32_t unwinds);

/* Count a call as lost although state_call() found its node. */
void state_lost_call(struct state *state);

/* Add @value of @metric to the path that ends at @context. @unwinds 0: the path ends where a signal
 * of the program's interrupted it; else as above. Count it as @value samples if @is_sample, or as
 * one call. Return 0, or -EAGAIN if it is lost. */
int state_record(struct states *states, struct state *state, const void *context, uint32_t unwinds,
		 uint32_t metric, uint64_t value, bool is_sample);

/* Handle a fault of the state's thread. If a function above caused it, do not return: that function
 * then ends with a loss. */
void state_escape(struct state *state);

/* Wait until no thread is in its handler. Return false after 0.1 s. */
bool states_wait(struct states *states);

#endif
