// SPDX-License-Identifier: GPL-2.0-or-later
/* archive_totals.c -- totals of an archived session that agree with the copied files. */
#include "config.h"
#include "pp/archive/archive_totals.h"

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/session/recover.h"

bool pp_archive_makes_totals(const struct pp_session *session, size_t i)
{
	return session->sources[i]->stats.nr && !session->has_operf_stats;
}

/*
 * The session's totals were read before the files were copied. Since then a daemon may have added
 * samples, and a killed daemon may not have written its last totals. So correct the totals by the
 * copied files. @out: the new samples directory.
 */
int pp_archive_totals(const struct pp_session *session, size_t i, int out, struct pp_log *log)
{
	const struct op_session_stats *from = &session->sources[i]->stats;
	struct op_session_stats totals = { 0 };
	struct op_session_sums sums;
	uint64_t stored_before = op_session_stats_sum(from, OP_STAT_STORED);
	bool lives = op_session_writer_lives(&from->writer), is_part = session->is_filtered;
	int err = op_session_sums_read(&sums, out);

	for (size_t v = 0; v < from->nr && !err; v++)
		err = op_session_stats_add(&totals, from->values[v].name, from->values[v].value);
	if (!err && from->writer.pid && !lives)
		err = op_session_stats_add(&totals, "daemon_killed", 1);
	/* Do not correct totals that no daemon can change if all files were copied: a difference
	 * is damage, which reports have to find. */
	if (!err && (from->writer.pid || is_part)) {
		err = op_recover_stored(&totals, sums.stored,
					lives ? "archived_samples" : "recovered_samples",
					is_part ? "excluded_archive" : "lost_crash");
		if (!err)
			err = op_recover_paths(&totals, stored_before, &sums);
	}
	if (!err)
		err = op_session_stats_write(&totals, out);
	op_session_stats_release(&totals);
	return err ? op_fail(&log->error, err, "cannot write the archive's totals: %s",
			     op_strerror(err))
		   : 0;
}
