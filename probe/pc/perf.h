/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h -- clock of perf_events for one thread, with a signal at each period.
 *
 * The kernel must ignore the signal by default: a signal that is pending at exec() stays pending
 * and must not end the next program. The descriptor closes at exec().
 */
#ifndef PROBE_PC_PERF_H
#define PROBE_PC_PERF_H

#include <stdbool.h>
#include <stdint.h>

struct pc_perf {
	uint64_t period_ns;
	int signal;
	/* Send signals in user mode only. The period is of the time in both modes, and one that
	 * ends in kernel mode sends no signal: user mode gets a signal for each period of its
	 * own time, in the mean. */
	bool is_user;
};

/* Open the clock of thread @tid of this process, and return its descriptor or a negative errno.
 * *@id, nonzero, identifies the clock. The clock runs only if @begins is set. */
int pc_perf_open(const struct pc_perf *perf, int tid, bool begins, uint32_t *id);

/* Return whether @fd is still the clock @id: programs close descriptors that they did not open,
 * and reuse the numbers. */
bool pc_perf_is(int fd, uint32_t id);

/* Return whether the clock's thread is still running. */
bool pc_perf_is_running(int fd);

/* Set the length of the next period of the clock @fd to @ns. */
void pc_perf_set_period(int fd, uint64_t ns);

#endif
