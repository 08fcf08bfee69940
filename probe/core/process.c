// SPDX-License-Identifier: GPL-2.0-or-later
/* process.c -- the probe's variables: the state of the probe in this process, and the data of the
 * calling thread. */
#include "config.h"
#include "probe/core/process.h"

/* Global and thread-local variables, because signal handlers have no parameter to pass them. */
struct process process;
__thread struct process_thread process_thread;

struct run *probe_run(void)
{
	return &process.run;
}

struct state *probe_state(void)
{
	return process_thread.state;
}

bool probe_is_stopped(void)
{
	return __atomic_load_n(&process.run.is_stopped, __ATOMIC_RELAXED);
}

bool probe_is_here(void)
{
	return process.here && *process.here;
}

bool probe_is_on(void)
{
	return __atomic_load_n(&process.on, __ATOMIC_ACQUIRE) && probe_is_here();
}
