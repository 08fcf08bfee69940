// SPDX-License-Identifier: GPL-2.0-or-later
/* books.c -- the totals of the session: put together, written, and put in order after harm. */
#include "config.h"
#include "daemon/books.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/jit.h"
#include "daemon/sampling.h"
#include "daemon/source/source.h"
#include "daemon/store/recover.h"
#include "daemon/store/sample_cache.h"
#include "libdb/odb.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/plural.h"
#include "libop/session/recover.h"

#define BOOKS_MS	1000	/* the totals on disk are at most this much behind */

void opd_books_init(struct opd_books *b, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling)
{
	*b = (struct opd_books){ .log = log, .session = session, .sampling = sampling };
	opd_stats_init(&b->stats);
}

void opd_books_release(struct opd_books *b)
{
	opd_stats_release(&b->stats);
}

void opd_books_attach(struct opd_books *b, struct opd_sample_cache *cache, struct opd_jit *jit)
{
	b->cache = cache;
	b->jit = jit;
}

static void log_recovered(struct opd_books *b, const struct op_session_recovered *r)
{
	if (!r->writer.pid)
		opd_log(b->log, OPD_WARN, "the session's totals are damaged; its sample files hold %llu samples",
			(unsigned long long)r->sums.stored);
	else
		opd_log(b->log, OPD_WARN, "the previous daemon (pid %d) did not shut down; its sample files hold %llu "
			"samples, its last totals %llu", (int)r->writer.pid, (unsigned long long)r->sums.stored,
			(unsigned long long)r->stored_before);
	if (r->sums.unreadable)
		opd_log(b->log, OPD_WARN, "%llu sample %s cannot be read",
			(unsigned long long)r->sums.unreadable, op_plural(r->sums.unreadable, "file", "files"));
}

int opd_books_open(struct opd_books *b)
{
	struct op_session_recovered recovered;
	int done = op_session_recover(b->session->current_fd, true, &recovered), err;

	if (done < 0)
		return done;
	if (done)
		log_recovered(b, &recovered);
	err = op_session_stats_read(&b->stats.earlier, b->session->current_fd);
	if (err && err != -ENOENT)
		opd_log(b->log, OPD_WARN, "the session's earlier totals cannot be read: %s",
			op_strerror(err));
	return 0;
}

int opd_books_totals(struct opd_books *b, struct op_session_stats *ret)
{
	const struct opd_sampling *s = b->sampling;
	struct op_session_stats source = { 0 };
	int err;

	memset(ret, 0, sizeof(*ret));
	opd_sample_cache_flush(b->cache);
	err = s->ops->stats(s->source, &source);
	if (!err)
		err = opd_stats_totals(&b->stats, &source, s->settled, ret);
	if (!err && opd_jit_left_out(b->jit))
		err = op_session_stats_add(ret, "jit_left_out", opd_jit_left_out(b->jit));
	op_session_stats_release(&source);
	return err;
}

int opd_books_write(struct opd_books *b)
{
	struct op_session_stats t;
	int err = opd_books_totals(b, &t);

	t.writer = b->writer;
	if (!err)
		err = op_session_stats_write(&t, b->session->current_fd);
	if (err == -ENOSPC || err == -EDQUOT) {
		opd_session_take_reserve(b->session);
		err = op_session_stats_write(&t, b->session->current_fd);
	}
	opd_session_keep_reserve(b->session);
	op_session_stats_release(&t);
	if (err && !b->failed)
		opd_log(b->log, OPD_WARN, "cannot write the session's totals: %s", op_strerror(err));
	b->failed = b->behind = err != 0;
	b->written_ms = op_now_ms();
	return err;
}

/* If a power cut lost the mark, the session would look as if its daemon had ended properly. */
static void wait_for_disk(struct opd_books *b)
{
	int fd = openat(b->session->current_fd, OP_STATS_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int dir = openat(b->session->current_fd, OP_STATS_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fsync(fd) || dir < 0 || fsync(dir))
		opd_log(b->log, OPD_WARN, "cannot write the session's totals to disk: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
}

void opd_books_begin(struct opd_books *b)
{
	op_session_writer_self(&b->writer);
	if (!opd_books_write(b))
		wait_for_disk(b);
}

void opd_books_end(struct opd_books *b)
{
	b->writer = (struct op_session_writer){ 0 };
}

void opd_books_touch(struct opd_books *b)
{
	b->behind = true;
}

uint64_t opd_books_due(const struct opd_books *b)
{
	return b->behind ? b->written_ms + BOOKS_MS : UINT64_MAX;
}

/* The totals are written though no sample was stored, too: on a full disk losses are all there is to tell. */
void opd_books_turn(struct opd_books *b)
{
	if (op_now_ms() >= opd_books_due(b))
		opd_books_write(b);
}

/* Closing the files has each checked when it is opened again, so that a damaged one is repaired or set aside. */
void opd_books_look_at_files(struct opd_books *b)
{
	unsigned long lost = odb_lost_pages();

	if (lost == b->lost_pages)
		return;
	b->lost_pages = lost;
	b->stats.file_lost = b->stats.page_lost = true;
	opd_sample_cache_close_all(b->cache);
	opd_log(b->log, OPD_ERROR, "a sample file was shortened by somebody, cannot be read any more, or "
		"has a hole that a full disk has no room for: samples that it does not hold are counted as lost");
}

void opd_books_balance(struct opd_books *b)
{
	struct op_session_sums sums;
	int err;

	if (!b->stats.file_lost)
		return;
	err = op_session_sums_read(&sums, b->session->current_fd);
	if (!err)
		err = opd_recover_running(&b->stats, sums.stored, b->stats.page_lost ? "lost_file_damaged" :
					  "lost_crash");
	if (err)
		opd_log(b->log, OPD_WARN, "the sample files cannot be added up: %s", op_strerror(err));
}

int opd_books_prepare(struct opd_books *b, int next_fd, struct op_session_stats *base)
{
	const struct opd_sampling *s = b->sampling;
	struct op_session_stats source = { 0 }, none = { 0 };
	int err = s->ops->stats(s->source, &source);

	if (!err)
		err = opd_stats_base(&b->stats, &source, s->settled, base);
	op_session_stats_release(&source);
	if (err || next_fd < 0)
		return err;
	/* Allocate the space of the totals now: later writes need no more room. */
	if (s->running)
		op_session_writer_self(&none.writer);
	err = op_session_stats_add(&none, opd_stat_name(OPD_STAT_STORED), 0);
	if (!err)
		err = op_session_stats_write(&none, next_fd);
	op_session_stats_release(&none);
	return err;
}

void opd_books_restart(struct opd_books *b, struct op_session_stats *base)
{
	opd_stats_restart(&b->stats, base);
	b->told_full = 0;
}

uint64_t opd_books_newly_full(struct opd_books *b)
{
	uint64_t full = b->stats.v[OPD_STAT_DISK_FULL], lost = full - b->told_full;

	b->told_full = full;
	return lost;
}
