/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ticks.h -- the timer by which the daemon reads the rings of perf_events.
 *
 * A file can only be opened while it exists, or while a process that has mapped it runs. The daemon
 * knows a process by its records, so it must read the records of short-lived programs in containers
 * before the programs end.
 */
#ifndef OPD_PERF_TICKS_H
#define OPD_PERF_TICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_perf_ticks {
	int fd;				/* becomes readable when the timer expires; -1: not open */
	bool few;
	uint64_t period_ms;
	uint64_t elapsed_ms;		/* time since opd_perf_ticks_read() last returned true */
	uint64_t quick_until_ms;
	size_t nr_apart;
};

/* Open the timer. @few: only a few processes are sampled, so the rings are read often. Return 0 or
 * a negative errno. */
int opd_perf_ticks_open(struct opd_perf_ticks *t, bool few);
void opd_perf_ticks_close(struct opd_perf_ticks *t);

/* Read the timer after it has expired. Return true once a second. */
bool opd_perf_ticks_read(struct opd_perf_ticks *t);

/*
 * Choose how often the timer expires. @nr_apart: opd_mapped_files_nr_apart(). For a minute after
 * the first sample in each file of another mount namespace, or deleted file, the timer expires
 * OPD_QUICK_TICKS times a second.
 */
#define OPD_QUICK_TICKS	100
void opd_perf_ticks_adapt(struct opd_perf_ticks *t, size_t nr_apart, uint64_t now_ms);

#endif
