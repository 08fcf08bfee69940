/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user.h -- metrics that the program counts itself, by opprobe.h.
 *
 * Their ids go on where those of events end, and are never given to another. What is deleted is in no tree from the next epoch on;
 * made again, it has its id and its column back.
 */
#ifndef PROBE_USER_H
#define PROBE_USER_H

#include "libop/raw/live.h"

struct user_metrics {
	int lock;			/* atomic; of all but reading .live */
	uint32_t nr;			/* ids that were given; never fewer */
	uint32_t max;			/* of these; 0: as many as there is room for */
	uint64_t live;			/* atomic: a bit for each id that counts */
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];	/* by id; events' are not there */
};

#endif
