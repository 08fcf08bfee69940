/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h -- the probe's variables: the state of the probe in this process, and the data of the
 * calling thread. */
#ifndef PROBE_CORE_PROCESS_H
#define PROBE_CORE_PROCESS_H

#include "probe/core/run.h"

struct process {
	int on;				/* sampling is switched on; atomic */
	/* word that the kernel sets to 0 in child processes (call_word_here()); NULL: the kernel
	 * does not support this, so calls are not counted */
	int *here;
	struct run run;
};

struct process_thread {
	struct state *state;		/* state of the thread; NULL: the thread is not sampled */
	/* mask of the program's signals that stay blocked until the thread leaves the probe */
	uint64_t deferred;
	/* the thread is counting a call: ignore calls that the probe itself makes */
	bool is_counting;
	/* the start of the thread was reported to the probe; the thread may have ended since */
	bool is_known;
};

/* Global and thread-local variables, because signal handlers have no parameter to pass them. */
extern struct process process __attribute__((visibility("hidden")));
extern __thread struct process_thread process_thread __attribute__((visibility("hidden")));

/* Return the run of this process: its counts and files. The files may be closed. */
struct run *probe_run(void);
/* Return the state of the calling thread, or NULL if the thread is not sampled. */
struct state *probe_state(void);

/* Return whether the probe samples or counts in this process. */
bool probe_is_on(void);
/*
 * Return whether the probe was started in this process and not in a parent. A child, however
 * created, does not use the parent's file; the child counts nothing until the probe is started in
 * it.
 */
bool probe_is_here(void);
/* Return whether the program has stopped counting by opprobe_stop(). */
bool probe_is_stopped(void);

#endif
