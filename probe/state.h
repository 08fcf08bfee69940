/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h -- what is kept of one thread that is sampled: its trees, its stack as it stood last, what was lost.
 *
 * A state belongs to one thread from state_take() to state_leave(); only that thread, or its signal handler, writes to
 * it. Then the next thread that begins takes it, and goes on with its trees: so trees of threads that have ended are
 * together, and nothing is merged. States are never freed; others may look at .inside at any time.
 */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "probe/backtrace.h"
#include "probe/cct.h"
#include "probe/driver/driver.h"
#include "probe/marker.h"

struct state {
	struct state *next;		/* of all states; set once */
	int taken;			/* atomic: some thread has it */
	int inside;			/* atomic: that thread is in the handler */
	struct driver_threads driver;
	struct arena arena;
	uint32_t thread;		/* struct raw_live_thread */
	const struct epoch *epoch;	/* that .cct is of; NULL: there is no tree yet */
	struct cct cct;
	struct backtrace bt;
	struct marker marker;
	void *escape[5];		/* where it goes on when what is read is not there */
	void *stack;			/* for signals; wrap/actions.c */
	const void *last_block;		/* that the thread has allocated */
	uint64_t seed;			/* of its own chances; not 0 */
	int64_t heap_held;		/* bytes, as of heap_add() */
};

/* Where states come from; one in a process. */
struct states {
	struct state *first;		/* atomic */
	struct arena_file *file;
	struct raw_live_run *run;	/* header of the file */
	struct epochs *epochs;
	uint32_t nr;			/* atomic */
	bool by_function;		/* leaves are functions */
	bool by_thread;			/* no thread goes on with another's trees */
	struct marker_rules marks;
	const void *calls_us;		/* atomic: code that was found to be ours last */
	uint64_t memory;		/* that each has from the beginning on */
	struct unsafe unsafe;		/* code without samples */
};

/* A state for this thread, whose stack lies between @low and @high (both 0: not known). NULL: no memory. */
struct state *state_take(struct states *states, uint32_t tid, uint64_t low, uint64_t high);
void state_leave(struct state *state);

/* A sample of the state's thread, which a signal has interrupted, @context. Counted as @weight of @metric or lost, in
 * one place each. */
void state_sample(struct states *states, struct state *state, const void *context, uint32_t metric, uint64_t weight);

/* The same of what is no sample, and only counted where a path is found. */
void state_count(struct states *states, struct state *state, const void *context, uint32_t metric);

/* A signal for CPU time has come to the thread, whatever it counts. */
void state_signal(struct state *state);

/* Code of ours: the probe, and libraries that stand in for functions. */
bool states_is_own(const struct states *states, uint64_t ip);

/* The node of who called us, or what stands in for a function of the C library: @context is in our code. @caller: who did, if that
 * is known (NULL: not). @unwinds more than 1:
 * of who called that, and so on. NULL: there is none, and the call is a loss. Not for handlers. */
struct raw_live_node *state_call(struct states *states, struct state *state, const void *context,
				 const struct arch_caller *caller, uint32_t unwinds);

/* What state_call() has found a node for cannot be counted there. */
void state_lost_call(struct state *state);

/* @value of @metric at the path that @context is at the end of; @unwinds 0: that is what a signal of the program's has
 * interrupted, else as above. It is counted as that many samples (@is_sample), or as one call. 0, or -EAGAIN: it is lost. */
int state_record(struct states *states, struct state *state, const void *context, uint32_t unwinds, uint32_t metric,
		 uint64_t value, bool is_sample);

/* The state's thread has faulted. Does not return if that was in one of the above, which then end with a loss. */
void state_escape(struct state *state);

/* Waits until no thread is in its handler; but not for ever (0.1 s, then false). */
bool states_wait(struct states *states);

#endif
