/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user.h -- metrics that the program counts itself, by the functions of opprobe.h.
 *
 * The ids of these metrics follow the ids of the events' metrics. An id is never given to another
 * metric. A deleted metric has no column from the next epoch on; if it is created again, it gets
 * its old id and a column.
 */
#ifndef PROBE_USER_H
#define PROBE_USER_H

#include "libop/raw/live.h"

struct user_metrics {
	/* atomic; must be held for all accesses except reading .live */
	int lock;
	uint32_t nr;			/* number of used ids, which never decreases */
	/* maximum of .nr; 0: limited only by the size of .metrics */
	uint32_t max;
	uint64_t live;			/* atomic: bit n is set if metric n is counted */
	/* metrics, indexed by id; the elements of events' metrics are unused */
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
};

#endif
