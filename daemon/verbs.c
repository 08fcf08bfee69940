// SPDX-License-Identifier: GPL-2.0-or-later
/* verbs.c -- the daemon's actions, such as start, stop and dump. */
#include "config.h"
#include "daemon/verbs.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/next_session.h"
#include "daemon/base/notify.h"
#include "daemon/base/priority.h"
#include "daemon/image/finder.h"
#include "daemon/interval_work.h"
#include "daemon/store/sample_cache.h"

int opd_start(struct opd_parts *p)
{
	int err;

	if (p->sampling.running)
		return 0;
	opd_storage_prepare(&p->storage);
	opd_accounting_begin(&p->accounting);
	err = opd_sampling_start(&p->sampling);
	if (!err) {
		if (p->sampling.is_raised)
			opd_finder_set_nice(p->storage.finder, OPD_PRIORITY_NICE);
		opd_storage_write_about(&p->storage);
		return 0;
	}
	opd_accounting_end(&p->accounting);
	opd_accounting_write(&p->accounting);
	return err;
}

/* Stop sampling and write the session. @last: wait longer for symbol tables. Return the first
 * error, or 0. */
static int stop(struct opd_parts *p, bool last)
{
	const bool was_raised = p->sampling.is_raised;
	int err = opd_sampling_stop(&p->sampling), err2;

	if (was_raised)
		opd_finder_set_nice(p->storage.finder, 0);
	opd_accounting_end(&p->accounting);
	err2 = opd_storage_sync_all(&p->storage, last);

	return err ? err : err2;
}

int opd_stop(struct opd_parts *p)
{
	return stop(p, p->finished);
}

int opd_dump(struct opd_parts *p)
{
	int err = opd_sampling_flush(&p->sampling);
	int err2 = opd_storage_sync_all(&p->storage, p->finished);

	return err ? err : err2;
}

int opd_refresh(struct opd_parts *p)
{
	int err = opd_sampling_refresh(&p->sampling);

	opd_sample_cache_flush(p->storage.cache);
	opd_accounting_touch(&p->accounting);
	opd_accounting_check_files(&p->accounting);
	return err;
}

/* Create the directory of the next session with its first files. Set *@base for
 * opd_accounting_restart(). */
static int fill_next(struct opd_parts *p, struct op_session_stats *base)
{
	int err = opd_session_prepare(&p->session);

	if (!err)
		err = opd_storage_prepare_next(&p->storage, p->session.next_fd);
	if (!err)
		err = opd_accounting_prepare(&p->accounting, p->session.next_fd, base);
	if (err) {
		opd_session_discard_next(&p->session);
		op_session_stats_release(base);
	}
	return err;
}

static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

/* Replace the current session by a new, empty session. Move the old session to the directory @dirfd
 * as @name, or delete it if @name is NULL. */
static int change_sessions(struct opd_parts *p, int dirfd, const char *name)
{
	struct op_session_stats base = { 0 };
	int err = fill_next(p, &base);

	if (is_full(err)) {
		opd_session_free_reserve(&p->session);
		err = fill_next(p, &base);
	}
	if (!err)
		err = name ? opd_session_close(&p->session, dirfd, name) :
			     opd_session_reset(&p->session);
	opd_disk_changed(&p->intervals.disk);
	if (is_full(err) && !name) {
		/* The disk is too full for a new session, but a reset must free space: empty the
		 * directory of the current session instead. */
		op_session_stats_release(&base);
		err = opd_accounting_prepare(&p->accounting, -1, &base);
		if (!err)
			err = opd_session_empty(&p->session);
	}
	if (!err) {
		opd_storage_restart(&p->storage);
		opd_accounting_restart(&p->accounting, &base);
	}
	op_session_stats_release(&base);
	return err;
}

/* Write the session's totals. If sampling runs, the totals name this process as the running
 * daemon. */
static void name_writer(struct opd_parts *p)
{
	if (p->sampling.running)
		opd_accounting_begin(&p->accounting);
	else
		opd_accounting_write(&p->accounting);
}

int opd_new_session(struct opd_parts *p, const char *name)
{
	int err = 0;

	opd_sampling_flush(&p->sampling);
	if (name) {
		/* End the accounting first: the totals of the saved session must not name a running
		 * daemon. */
		opd_accounting_end(&p->accounting);
		err = opd_storage_sync_all(&p->storage, p->finished);
		/* Check the session after opd_storage_sync_all(): before that, the samples may not
		 * be in files yet, and the session could be refused as empty. */
		if (!err)
			err = opd_session_may_save(&p->session, name);
	}
	opd_storage_close_files(&p->storage);
	if (!err)
		err = change_sessions(p, p->session.samples_fd, name);
	if (!err) {
		opd_log(&p->log, OPD_INFO, "%s%s", name ? "session saved as " : "session reset",
			name ? name : "");
		opd_intervals_note_lost(&p->intervals, name ? "saved as another session" :
							      "deleted by --reset");
	}
	name_writer(p);
	return err;
}

int opd_close_interval(struct opd_parts *p, int dirfd, const char *name)
{
	int err;

	opd_sampling_flush(&p->sampling);
	opd_accounting_end(&p->accounting);
	err = opd_storage_end_session(&p->storage);
	/* Allow the use of disk space that is reserved for work that frees space: a closed session
	 * will be packed, which frees space. */
	p->intervals.disk.is_working = true;
	/* Close the session even if a file cannot be written, because later attempts may fail, too.
	 * opintervals counts the samples in the files and reports the others as lost. Write the
	 * totals again: the first attempt may have failed because it was not allowed to use the
	 * reserved disk space. */
	if (err)
		opd_accounting_write(&p->accounting);
	err = change_sessions(p, dirfd, name);
	name_writer(p);
	p->intervals.disk.is_working = false;
	return err;
}

int opd_finish(struct opd_parts *p)
{
	const bool restarts = p->sampling.running && opd_notify_is_heard();

	if (p->finished)
		return 0;
	p->finished = true;
	/* Kill the child process that packs intervals: the last samples need the disk space that is
	 * reserved for it. */
	opd_interval_work_end(&p->intervals);
	/* A service manager can only start the next daemon after this daemon has ended: make the
	 * tables while this daemon still takes samples. */
	if (restarts)
		opd_storage_finish_names(&p->storage, true);
	return stop(p, !restarts);
}

void opd_hang_up(struct opd_parts *p)
{
	int err = opd_log_open(&p->log, p->session.samples_fd, "oprofiled.log");

	if (err)
		opd_log(&p->log, OPD_ERROR, "cannot reopen the log: %s", strerror(-err));
	opd_storage_sync(&p->storage);
	opd_storage_close_files(&p->storage);
	opd_log(&p->log, OPD_INFO, "log and sample files reopened");
}
