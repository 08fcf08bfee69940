// SPDX-License-Identifier: GPL-2.0-or-later
/* stored.c -- comparison of the samples in files with the totals of a session. */
#include "config.h"
#include "pp/profile/stored.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libop/event/spec.h"

#define SECOND		1000000000u
/* maximum of samples a second on a CPU: the kernel's default for counters */
#define OTHER_RATE	100000
/* maximum of events a second on a CPU: eight in each cycle at 10 GHz */
#define OTHER_EVENTS	80000000000u
#define MAX_EVENTS	32
/* seconds for which buffers may hold samples before storing them */
#define ON_THEIR_WAY	20

/* Return the maximum of samples of one CPU in a second for the event of a file. */
static uint64_t most_of_event(const struct pp_sample_file *file)
{
	uint64_t rate;

	if (!file->name.count)
		return OTHER_RATE;
	if (!strcmp(file->name.event, OP_EVENT_TIMER))
		return SECOND / file->name.count + 1;
	rate = OTHER_EVENTS / file->name.count + 1;
	return rate < OTHER_RATE ? rate : OTHER_RATE;
}

static bool is_same_event(const struct pp_sample_file *a, const struct pp_sample_file *b)
{
	return a->name.count == b->name.count && a->name.um == b->name.um &&
	       !strcmp(a->name.event, b->name.event);
}

/* Return the maximum of samples of one CPU in a second, of all events of the session together. */
static uint64_t most_in_second(const struct pp_session *session, size_t i)
{
	const struct pp_sample_file *events[MAX_EVENTS];
	size_t nr = 0, e;
	uint64_t most = 0;

	for (size_t f = 0; f < session->files.nr; f++) {
		const struct pp_sample_file *file = &session->files.items[f];

		if (file->session != i)
			continue;
		for (e = 0; e < nr && !is_same_event(events[e], file); e++)
			;
		if (e < nr)
			continue;
		if (nr == MAX_EVENTS)
			return MAX_EVENTS * OTHER_RATE;
		events[nr++] = file;
		most += most_of_event(file);
	}
	return most ? most : OTHER_RATE;
}

uint64_t pp_stored_behind(const struct pp_session *session, size_t i)
{
	const struct pp_source *source = session->sources[i];
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t now, seconds = ON_THEIR_WAY;
	struct timespec t;

	if (!source->stats.writer.pid || !op_session_writer_lives(&source->stats.writer))
		return 0;
	clock_gettime(CLOCK_REALTIME, &t);
	now = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
	if (source->stats_ns && now > source->stats_ns)
		seconds += (now - source->stats_ns) / SECOND + 1;
	return most_in_second(session, i) * seconds * (uint64_t)(cpus < 1 ? 1 : cpus);
}

static void check(const struct pp_session *session, size_t i, uint64_t read, struct pp_log *log)
{
	const struct op_session_stats *stats = &session->sources[i]->stats;
	uint64_t stored = op_session_stats_sum(stats, OP_STAT_STORED);
	bool lives = stats->writer.pid && op_session_writer_lives(&stats->writer);
	const char *dir = session->samples_dirs[i];

	if (read > stored && read - stored > pp_stored_behind(session, i))
		pp_warn(log,
			"%s: its files have %" PRIu64 " samples, but only %" PRIu64
			" were stored: %s",
			dir, read, stored,
			lives		    ? "a file is damaged"
			: stats->writer.pid ? "its daemon was killed, or a file is damaged"
					    : "a file is damaged");
	/* Skip archives: earlier versions wrote the totals of the whole session into an archive of
	 * a part. */
	else if (read < stored && !session->is_filtered && !session->archive)
		pp_warn(log,
			"%s: its files lack %" PRIu64 " of the %" PRIu64
			" samples that were stored",
			dir, stored - read, stored);
}

void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		/* A program's own file is checked in pp/source/; with such a file only the kernel's
		 * part of a session is read. OProfile 1.4's operf wrote the totals of its last run
		 * only. */
		if (source->memory || session->nr_profiles || session->has_operf_stats ||
		    !source->stats.nr)
			continue;
		check(session, i, read[i], log);
	}
}
