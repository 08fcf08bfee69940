// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interval_notes.c -- notes about the current interval: times without samples, and the growth of
 * its session.
 */
#include "config.h"
#include "daemon/intervals.h"

#include <time.h>

#include "daemon/verbs.h"
#include "intervals/gaps.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"

/* minimum length, in ns, of a time without samples that is recorded */
#define LEAST_GAP_NS	2000000000

uint64_t opd_intervals_grown(const struct opd_intervals *i)
{
	return i->disk.part > i->first_bytes ? i->disk.part - i->first_bytes : 0;
}

void opd_intervals_note_gap(struct opd_intervals *i, int64_t from_ns, int64_t to_ns,
			    const char *reason)
{
	int err;

	if (to_ns - from_ns < LEAST_GAP_NS)
		return;
	err = itv_gaps_append(i->parts->session.current_fd, from_ns, to_ns, reason);
	if (err)
		opd_log(&i->parts->log, OPD_WARN, "cannot record in the session that sampling "
						  "was interrupted (%s): %s", reason,
			op_strerror(err));
}

void opd_intervals_note_lost(struct opd_intervals *i, const char *reason)
{
	if (i->interval)
		opd_intervals_note_gap(i, i->begin * 1000000000,
				       (int64_t)op_clock_ns(CLOCK_REALTIME), reason);
}
