/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h -- a perf_events clock that sends a signal to one thread at each period.
 *
 * The signal must be ignored by default: a signal that is pending at exec() stays pending and must
 * not kill the executed program. The clock's descriptor is closed at exec().
 */
#ifndef PROBE_PC_PERF_H
#define PROBE_PC_PERF_H

#include <stdbool.h>
#include <stdint.h>

struct pc_perf {
	uint64_t period_ns;
	int signal;
	/* Send signals only in user mode. The clock runs in user and kernel mode, but no signal is
	 * sent at the end of a period in kernel mode. On average, user mode still gets one signal
	 * per period of user time. */
	bool is_user;
};

/* Open a clock for thread @tid of this process, and start it if @begins is set. Return the clock's
 * descriptor, and set *@id to a nonzero number that identifies the clock; or return a negative
 * errno. */
int pc_perf_open(const struct pc_perf *perf, int tid, bool begins, uint32_t *id);

/* Return whether the descriptor @fd still refers to the perf event with the id @id. The program
 * may have closed the descriptor and opened another file with the same number. */
bool pc_perf_is(int fd, uint32_t id);

/* Return whether the thread that the clock @fd measures still exists. */
bool pc_perf_is_running(int fd);

/* Set the period of the clock @fd to @ns nanoseconds. */
void pc_perf_set_period(int fd, uint64_t ns);

#endif
