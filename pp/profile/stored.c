// SPDX-License-Identifier: GPL-2.0-or-later
/* stored.c -- compares the samples that were read with the totals of a session. */
#include "config.h"
#include "pp/profile/stored.h"

#include <inttypes.h>
#include <unistd.h>

#define PER_CPU	200000	/* maximum of samples of a CPU in two seconds, by which a live daemon's totals may lag */

static uint64_t most_behind(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	return PER_CPU * (uint64_t)(nr < 1 ? 1 : nr);
}

static void check(const struct pp_session *session, size_t i, uint64_t read, struct pp_log *log)
{
	const struct op_session_stats *stats = &session->sources[i]->stats;
	uint64_t stored = op_session_stats_sum(stats, OP_STAT_STORED);
	bool lives = stats->writer.pid && op_session_writer_lives(&stats->writer);
	const char *dir = session->samples_dirs[i];

	if (read > stored && !(lives && read - stored <= most_behind()))
		pp_warn(log, "%s: its files hold %" PRIu64 " samples, but only %" PRIu64 " were stored: %s", dir, read, stored,
			lives ? "a file is damaged" : stats->writer.pid ? "its daemon was killed, or a file is damaged" :
								       "a file is damaged");
	/* Skip this for archives: earlier versions wrote the totals of the whole session into an archive of a part. */
	else if (read < stored && !session->is_filtered && !session->archive)
		pp_warn(log, "%s: its files lack %" PRIu64 " of the %" PRIu64 " samples that were stored", dir, stored - read,
			stored);
}

void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		/* A program's file is checked in pp/source/; beside such a file only a session's kernel part is read.
		 * OProfile 1.4's operf wrote totals of its last run only. */
		if (source->memory || session->nr_profiles || session->has_operf_stats || !source->stats.nr)
			continue;
		check(session, i, read[i], log);
	}
}
