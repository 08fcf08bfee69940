// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * accounting.c -- the session's totals (numbers of samples taken, stored and lost): computes the
 * totals, writes them to disk, and corrects them after damage to sample files.
 */
#include "config.h"
#include "daemon/accounting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/jit.h"
#include "daemon/sampling.h"
#include "daemon/source/source.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"
#include "libdb/odb.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/plural.h"
#include "libop/session/recover.h"

/* Correct the counters after damage to sample files: set the number of stored samples to @sum, the
 * number of samples that the files still contain. Add the missing samples to the loss counter
 * @loss. Return 0 or -ENOMEM. */
static int recover_running(struct opd_stats *stats, uint64_t sum, const char *loss)
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

#define ACCOUNTING_MS	1000	/* maximum age of the session's totals on disk, in ms */

void opd_accounting_init(struct opd_accounting *a, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling)
{
	*a = (struct opd_accounting){ .log = log, .session = session, .sampling = sampling };
	opd_stats_init(&a->stats);
}

void opd_accounting_release(struct opd_accounting *a)
{
	opd_stats_release(&a->stats);
}

void opd_accounting_attach(struct opd_accounting *a, struct opd_sample_cache *cache,
			   struct opd_jit *jit)
{
	a->cache = cache;
	a->jit = jit;
}

static void log_recovered(struct opd_accounting *a, const struct op_session_recovered *r)
{
	if (!r->writer.pid)
		opd_log(a->log, OPD_WARN,
			"the file with the session's totals is damaged: the totals are set to "
			"the %llu samples of the sample files",
			(unsigned long long)r->sums.stored);
	else
		opd_log(a->log, OPD_WARN,
			"the previous daemon (pid %d) was killed before it wrote its last "
			"totals: the sample files have %llu samples, the totals %llu",
			(int)r->writer.pid, (unsigned long long)r->sums.stored,
			(unsigned long long)r->stored_before);
	if (r->sums.unreadable)
		opd_log(a->log, OPD_WARN, "cannot read %llu sample %s",
			(unsigned long long)r->sums.unreadable,
			op_plural(r->sums.unreadable, "file", "files"));
}

int opd_accounting_open(struct opd_accounting *a)
{
	struct op_session_recovered recovered;
	int done = op_session_recover(a->session->current_fd, true, &recovered), err;

	if (done < 0)
		return done;
	if (done)
		log_recovered(a, &recovered);
	err = op_session_stats_read(&a->stats.earlier, a->session->current_fd);
	if (err && err != -ENOENT)
		opd_log(a->log, OPD_WARN, "cannot read the counts of samples of the session's earlier daemons: %s",
			op_strerror(err));
	return 0;
}

int opd_accounting_totals(struct opd_accounting *a, struct op_session_stats *ret)
{
	const struct opd_sampling *s = a->sampling;
	struct op_session_stats source = { 0 };
	int err;

	memset(ret, 0, sizeof(*ret));
	opd_sample_cache_flush(a->cache);
	err = s->ops->stats(s->source, &source);
	if (!err)
		err = opd_stats_totals(&a->stats, &source, s->settled, ret);
	if (!err && opd_jit_left_out(a->jit))
		err = op_session_stats_add(ret, "jit_left_out", opd_jit_left_out(a->jit));
	op_session_stats_release(&source);
	return err;
}

int opd_accounting_write(struct opd_accounting *a)
{
	struct op_session_stats t;
	int err = opd_accounting_totals(a, &t);

	t.writer = a->writer;
	if (!err) {
		a->now.taken = op_session_stats_sum(&t, OP_STAT_TAKEN);
		a->now.lost = op_session_stats_sum(&t, OP_STAT_LOSS);
		err = op_session_stats_write(&t, a->session->current_fd);
	}
	if (err == -ENOSPC || err == -EDQUOT) {
		opd_session_free_reserve(a->session);
		err = op_session_stats_write(&t, a->session->current_fd);
	}
	opd_session_create_reserve(a->session);
	op_session_stats_release(&t);
	if (err && !a->failed)
		opd_log(a->log, OPD_WARN, "cannot write the counts of taken and lost samples: %s",
			op_strerror(err));
	a->failed = a->is_stale = err != 0;
	a->written_ms = op_now_ms();
	return err;
}

/* Wait until the file with the session's totals is on disk. This file names this process as the
 * running daemon. If a power cut lost the name, the next daemon would assume that this daemon had
 * ended normally. */
static void wait_for_disk(struct opd_accounting *a)
{
	int fd = openat(a->session->current_fd, OP_STATS_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int dir = openat(a->session->current_fd, OP_STATS_DIR,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fsync(fd) || dir < 0 || fsync(dir))
		opd_log(a->log, OPD_WARN, "cannot write the counts of taken and lost samples to disk: %s",
			strerror(errno));
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
}

void opd_accounting_begin(struct opd_accounting *a)
{
	op_session_writer_self(&a->writer);
	if (!opd_accounting_write(a))
		wait_for_disk(a);
}

void opd_accounting_end(struct opd_accounting *a)
{
	a->writer = (struct op_session_writer){ 0 };
}

void opd_accounting_touch(struct opd_accounting *a)
{
	a->is_stale = true;
}

uint64_t opd_accounting_due(const struct opd_accounting *a)
{
	return a->is_stale ? a->written_ms + ACCOUNTING_MS : UINT64_MAX;
}

/* Write the totals to disk if a counter has changed, even if no sample was stored: while the disk
 * is full, only the loss counters change. */
void opd_accounting_turn(struct opd_accounting *a)
{
	if (op_now_ms() >= opd_accounting_due(a))
		opd_accounting_write(a);
}

/* If a mapped sample file was truncated, close all sample files. Opening a damaged file again
 * repairs or renames it. */
void opd_accounting_check_files(struct opd_accounting *a)
{
	unsigned long lost = odb_lost_pages();

	if (lost == a->lost_pages)
		return;
	a->lost_pages = lost;
	a->stats.file_lost = a->stats.page_lost = true;
	opd_sample_cache_close_all(a->cache);
	opd_log(a->log, OPD_ERROR,
		"cannot access a part of a sample file, because the file was truncated or is "
		"unreadable, or the disk is full: the missing samples are counted as lost");
}

void opd_accounting_balance(struct opd_accounting *a)
{
	struct op_session_sums sums;
	int err;

	if (!a->stats.file_lost)
		return;
	err = op_session_sums_read(&sums, a->session->current_fd);
	if (!err)
		err = recover_running(&a->stats, sums.stored,
					  a->stats.page_lost ? "lost_file_damaged" : "lost_crash");
	if (err)
		opd_log(a->log, OPD_WARN, "cannot add up the sample files: %s", op_strerror(err));
}

int opd_accounting_prepare(struct opd_accounting *a, int next_fd, struct op_session_stats *base)
{
	const struct opd_sampling *s = a->sampling;
	struct op_session_stats source = { 0 }, none = { 0 };
	int err = s->ops->stats(s->source, &source);

	if (!err)
		err = opd_stats_base(&a->stats, &source, s->settled, base);
	op_session_stats_release(&source);
	if (err || next_fd < 0)
		return err;
	/* Write the totals to the new session now, so that their disk space is allocated: later
	 * writes of the totals need no additional space. */
	if (s->running)
		op_session_writer_self(&none.writer);
	err = op_session_stats_add(&none, opd_stat_name(OPD_STAT_STORED), 0);
	if (!err)
		err = op_session_stats_write(&none, next_fd);
	op_session_stats_release(&none);
	return err;
}

void opd_accounting_restart(struct opd_accounting *a, struct op_session_stats *base)
{
	opd_stats_restart(&a->stats, base);
	a->closed.taken += a->now.taken;
	a->closed.lost += a->now.lost;
	a->now = (struct opd_accounting_sums){ 0 };
	a->reported_full = 0;
}

void opd_accounting_sums(const struct opd_accounting *a, uint64_t *taken, uint64_t *lost)
{
	*taken = a->closed.taken + a->now.taken;
	*lost = a->closed.lost + a->now.lost;
}

uint64_t opd_accounting_newly_full(struct opd_accounting *a)
{
	uint64_t full = a->stats.v[OPD_STAT_DISK_FULL], lost = full - a->reported_full;

	a->reported_full = full;
	return lost;
}
