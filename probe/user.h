/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user.h -- metrics that the program counts itself, by opprobe.h.
 *
 * Their ids follow those of events and are never given to another metric. A deleted metric has no
 * column from the next epoch on. Created again, it gets its id and its column back.
 */
#ifndef PROBE_USER_H
#define PROBE_USER_H

#include "libop/raw/live.h"

struct user_metrics {
	int lock;			/* atomic; needed for everything except reading .live */
	uint32_t nr;			/* number of ids given; never decreases */
	uint32_t max;			/* maximum of .nr; 0: the room in .metrics */
	uint64_t live;			/* atomic: a bit for each counting id */
	/* by id; those of events are unused */
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
};

#endif
