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
#include <stdint.h>

#include "daemon/image/mapped_file.h"

struct opd_perf_ticks {
	int fd;				/* becomes readable when the timer expires; -1: not open */
	bool few;
	uint64_t period_ms;
	uint64_t elapsed_ms;		/* time since opd_perf_ticks_read() last returned true */
	uint64_t quick_until_ms;	/* the timer is quick until this time */
	/* time for which the timer may still be quick, in ms, and the time of its last update */
	uint64_t budget_ms, updated_ms;
	uint64_t earned_ms;		/* time that has not yet added to .budget_ms */
	struct opd_files_apart apart;
};

/* Open the timer. @few: only a few processes are sampled, so the rings are read often. Return 0 or
 * a negative errno. */
int opd_perf_ticks_open(struct opd_perf_ticks *t, bool few);
void opd_perf_ticks_close(struct opd_perf_ticks *t);

/* Read the timer after it has expired. Return true once a second. */
bool opd_perf_ticks_read(struct opd_perf_ticks *t);

/*
 * Choose how often the timer expires. @apart: opd_mapped_files_apart(). After a sample in a file
 * that was missed, the timer expires OPD_QUICK_TICKS times a second for a minute, and for another
 * minute after each file that was opened in another mount namespace. Users cause these events, so
 * the timer is quick for at most OPD_QUICK_MINUTES minutes, which it earns again in an hour: in any
 * hour, for at most twice this time.
 */
#define OPD_QUICK_TICKS		100
#define OPD_QUICK_MINUTES	5
void opd_perf_ticks_adapt(struct opd_perf_ticks *t, struct opd_files_apart apart, uint64_t now_ms);

#endif
