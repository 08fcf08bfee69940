/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h -- the state of one sampled thread: its call-path trees, the frames of its last walk, and
 * its counts of lost samples.
 *
 * A state belongs to one thread from state_claim() to state_release(). Only that thread and its
 * signal handlers write to it; other threads may read .inside at any time. After the thread has
 * ended, a new thread may claim the state and continue its trees. States are never freed.
 */
#ifndef PROBE_CORE_STATE_H
#define PROBE_CORE_STATE_H

#include <stdbool.h>

#include "probe/core/backtrace.h"
#include "probe/core/cct.h"
#include "probe/core/marker.h"
#include "probe/driver/driver.h"

struct state {
	struct state *next;		/* next state in the list of all states; set once */
	bool taken;			/* a thread owns this state; atomic */
	int inside;	/* nonzero while the owner of the state is walking its stack; atomic */
	struct driver_threads driver;
	struct arena arena;
	uint32_t thread;		/* reference to the thread's struct raw_live_thread */
	const struct epoch *epoch;	/* epoch of the tree .cct; NULL: the thread has no tree
					 * yet */
	struct cct cct;
	struct backtrace bt;
	struct marker marker;
	/* __builtin_setjmp() buffer: after a fault in a stack walk, execution continues here */
	void *escape[5];
	void *stack;			/* the thread's alternate signal stack (wrap/actions.c) */
	const void *last_block;	/* address of the last heap block that the thread allocated */
	uint64_t seed;			/* state of the thread's random number generator; not 0 */
	/* number of allocated bytes that are not yet added to the heap's number of live bytes; see
	 * heap_add() */
	int64_t heap_held;
};

/* All thread states of a process. */
struct states {
	struct state *first;		/* list of all thread states; atomic */
	struct arena_file *file;
	/* the process's struct raw_live_run in the .csp.live file */
	struct raw_live_run *run;
	struct epochs *epochs;
	uint32_t nr;			/* number of thread states; atomic */
	/* the leaf of a path is a function instead of an address */
	bool by_function;
	bool by_thread;			/* each thread needs its own trees: do not reuse states */
	struct marker_rules marks;
	/* the last address whose library calls.c has registered as the probe's code; atomic */
	const void *calls_us;
	uint64_t memory;	/* number of bytes of an arena to map in advance for each thread */
	struct unsafe unsafe;		/* code where stacks are not walked */
};

/* Claim a free state for the calling thread, or create a state. The thread's stack is from @low to
 * @high (both 0: unknown). Return NULL if out of memory. */
struct state *state_claim(struct states *states, uint32_t tid, uint64_t low, uint64_t high);
void state_release(struct state *state);

/* Take a sample of the thread, which a signal interrupted at @context. Count the sample exactly
 * once: add @weight to @metric, or count it as lost. */
void state_sample(struct states *states, struct state *state, const void *context, uint32_t metric,
		  uint64_t weight);

/* A signal interrupted the thread at @context. Add 1 to @metric at the call path of this context.
 * If the path cannot be found, count nothing. */
void state_count(struct states *states, struct state *state, const void *context, uint32_t metric);

/* Count a signal that the driver for CPU time has sent to the state's thread. */
void state_signal(struct state *state);

/* Return whether @ip is in code of the probe or of its libraries that replace functions. */
bool states_is_own(const struct states *states, uint64_t ip);

/* Return the tree node of the code that called the probe or a function replaced by the probe
 * (@unwinds 1), of that code's caller (2), and so on. @context: registers in the probe's code.
 * @caller: the calling frame, or NULL if unknown. Count the call as recorded or lost; return NULL
 * if it is lost. Must not be called in signal handlers. */
struct raw_live_node *state_call(struct states *states, struct state *state, const void *context,
				 const struct arch_caller *caller, uint32_t unwinds);

/* state_call() has counted a call as recorded. Count the call as lost instead. */
void state_lost_call(struct state *state);

/*
 * Add @value to @metric at a call path. @unwinds 0: the path that a signal interrupted at @context;
 * other values: as for state_call(). If @is_sample is true, count @value samples, otherwise one
 * call. Return 0, or -EAGAIN if the value is lost.
 */
int state_record(struct states *states, struct state *state, const void *context, uint32_t unwinds,
		 uint32_t metric, uint64_t value, bool is_sample);

/*
 * Handle a fault of the state's thread. If the thread was walking its stack, do not return, but
 * jump back to the function that started the walk; that function then counts a lost sample or call.
 */
void state_escape(struct state *state);

/* Wait until no thread is walking its stack. Return false if a thread is still walking after
 * 0.1 s. */
bool states_wait(struct states *states);

#endif
