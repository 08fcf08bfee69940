// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover.c -- correction of a running daemon's counters after a sample file was found damaged.
 */
#include "config.h"
#include "daemon/store/recover.h"

#include "daemon/store/stats.h"
#include "libop/session/recover.h"

int opd_recover_running(struct opd_stats *stats, uint64_t sum, const char *loss)
{
	uint64_t ours = stats->v[OPD_STAT_STORED];
	int err;

	stats->file_lost = stats->page_lost = false;
	if (sum >= ours)
		return op_recover_stored(&stats->earlier, sum - ours, "recovered_samples", loss);
	err = op_session_stats_add(&stats->earlier, loss, ours - sum);
	if (!err)
		err = op_recover_stored(&stats->earlier, 0, "recovered_samples", loss);
	if (!err)
		stats->v[OPD_STAT_STORED] = sum;
	return err;
}
