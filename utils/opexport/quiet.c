// SPDX-License-Identifier: GPL-2.0-or-later
/* quiet.c -- a log that does not repeat itself. */
#include "config.h"
#include "utils/opexport/quiet.h"

#include "libop/base/clock.h"
#include "libop/base/hash.h"

/* Return whether the message with this hash was written within EXPORT_QUIET_MS. If not, note it in
 * place of the oldest message. */
static bool was_said(struct export_quiet *q, uint64_t hash)
{
	const uint64_t now = op_now_ms();
	size_t at = 0;

	for (size_t i = 0; i < q->nr; i++) {
		if (q->said[i].hash == hash && now - q->said[i].ms < EXPORT_QUIET_MS)
			return true;
		if (q->said[i].hash == hash || q->said[i].ms < q->said[at].ms)
			at = i;
		if (q->said[i].hash == hash)
			break;
	}
	if (q->nr < EXPORT_QUIET_NR && (!q->nr || q->said[at].hash != hash))
		at = q->nr++;
	q->said[at].hash = hash;
	q->said[at].ms = now;
	return false;
}

static void write_once(struct pp_log *log, enum pp_log_level level, const char *text)
{
	struct export_quiet *q = (struct export_quiet *)log;

	if (level == PP_LOG_ERROR || !was_said(q, op_hash_text(OP_HASH_BEGIN, text)))
		q->to->write(q->to, level, text);
}

static void show_progress(struct pp_log *log, size_t done, size_t of)
{
	struct export_quiet *q = (struct export_quiet *)log;

	pp_progress(q->to, done, of);
}

void export_quiet_init(struct export_quiet *quiet, struct pp_log *to)
{
	*quiet = (struct export_quiet){
		.log = { .verbose = to->verbose, .write = write_once,
			 .progress = to->progress ? show_progress : NULL }, .to = to,
	};
}
