// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon.c -- the daemon as a whole: what it is made of, and the loop that drives it.
 *
 * One thread (deleter.h has one that shares nothing). Everything it owns is in struct opd, made in
 * the order of the fields.
 */
#include <config.h>
#include "daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/store/about.h"
#include "daemon/store/attribute.h"
#include "daemon/image/build_id_file.h"
#include "daemon/base/config.h"
#include "daemon/control.h"
#include "daemon/image/image.h"
#include "daemon/image/jit.h"
#include "daemon/image/kernel.h"
#include "daemon/base/log.h"
#include "daemon/notify.h"
#include "daemon/store/recover.h"
#include "daemon/store/sample_cache.h"
#include "daemon/base/session.h"
#include "daemon/store/session_settings.h"
#include "daemon/source/source.h"
#include "daemon/store/stats.h"
#include "daemon/store/tables.h"
#include "daemon/store/task_names.h"
#include "libdb/odb.h"
#include "libop/session/abi.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/cpu/type.h"
#include "libop/session/files.h"
#include "libop/session/paths.h"

#define SYNC_MS		10000	/* what is lost at most when the power fails */
#define BOOKS_MS	1000	/* what the books lack at most when the daemon is killed */
#define MEMBER_DUMP_MS	1000
#define TABLES_WAIT_MS	300	/* a dump waits for names; the end for longer */
#define TABLES_END_MS	3000
#define MAX_FAILURES	10	/* of the source, in a row, then it is given up */

struct opd {
	const struct opd_config *cfg;
	struct opd_log log;
	struct opd_session session;
	struct opd_stats stats;
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_tables *tables;	/* NULL: none are kept */
	struct opd_jit *jit;		/* NULL: a recorded stream is of other processes */
	struct opd_attribution attribution;	/* the sink */
	const struct opd_source_ops *ops;
	struct opd_source *source;
	char why[512];			/* this source was taken */
	int signal_fd;
	struct opd_control *control;
	struct pollfd *fds;
	size_t max_fds;

	bool running;			/* sampling */
	bool settled;			/* stopped, and everything sampled has arrived */
	bool finished;
	bool quit;
	int failures;
	int result;
	unsigned long lost_pages;	/* of sample files, as far as seen to */
	uint64_t synced_ms;
	uint64_t booked_ms;		/* the totals were written */
	bool unbooked;			/* something has happened since */
	bool books_failed;		/* and said so */
	bool jit_failed;		/* and said so */
	uint64_t told_full;		/* samples lost to a full disk, as requests were told */
	uint64_t member_dump_ms;	/* asked for by others than root or us */
	struct opd_task_names *task_names;	/* NULL: threads are not told apart */
	size_t nr_build_ids;		/* in the session's file of them */
	char error[600];		/* of the last request */
};

static void taken_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
}

void opd_block_signals(void)
{
	sigset_t set;

	taken_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* The books as they stand now; op_session_stats_release() @ret in any case. */
static int totals(struct opd *o, struct op_session_stats *ret)
{
	struct op_session_stats source = { 0 };
	int err;

	memset(ret, 0, sizeof(*ret));
	opd_sample_cache_flush(o->cache);
	err = o->ops->stats(o->source, &source);
	if (!err)
		err = opd_stats_totals(&o->stats, &source, o->settled, ret);
	if (!err && opd_jit_left_out(o->jit))
		err = op_session_stats_add(ret, "jit_left_out", opd_jit_left_out(o->jit));
	op_session_stats_release(&source);
	return err;
}

static int write_totals(struct opd *o)
{
	struct op_session_stats t;
	int err = totals(o, &t);

	if (!err)
		err = op_session_stats_write(&t, o->session.current_fd);
	if (err == -ENOSPC || err == -EDQUOT) {
		opd_session_take_reserve(&o->session);
		err = op_session_stats_write(&t, o->session.current_fd);
	}
	opd_session_keep_reserve(&o->session);
	op_session_stats_release(&t);
	if (err && !o->books_failed)
		opd_log(&o->log, OPD_WARN, "cannot write the session's totals: %s",
			op_strerror(err));
	o->books_failed = err != 0;
	o->session.untold = err != 0;
	o->unbooked = err != 0;
	o->booked_ms = op_now_ms();
	return err;
}

static void snapshot(struct opd *o, bool now)
{
	int err;

	if (!opd_kernel_snapshot_due(o->kernel, now))
		return;
	err = opd_kernel_snapshot(o->kernel, o->session.current_fd);
	if (err)
		opd_log(&o->log, OPD_WARN, "cannot write the kernel's symbols: %s",
			op_strerror(err));
}

static void write_build_ids(struct opd *o)
{
	int err = opd_build_id_file_write(o->images, &o->nr_build_ids, o->session.current_fd);

	if (err)
		opd_log(&o->log, OPD_WARN, "cannot write the build-ids of the programs: %s",
			op_strerror(err));
}

static void write_task_names(struct opd *o)
{
	int err = opd_task_names_write(o->task_names, o->session.current_fd);

	if (err)
		opd_log(&o->log, OPD_WARN, "cannot write the names of the threads: %s",
			op_strerror(err));
}

static void keep_table(void *arg, const struct opd_image *image, int fd)
{
	struct opd *o = arg;

	opd_tables_offer(o->tables, image, fd);
}

/* Who asked for what is on disk waits a moment for names too; those of the rest come by themselves. */
static void keep_tables(struct opd *o)
{
	uint64_t end = op_now_ms() + (o->finished ? TABLES_END_MS : TABLES_WAIT_MS);

	opd_tables_catch_up(o->tables, o->images);
	while (opd_tables_fd(o->tables) >= 0 && op_now_ms() < end) {
		opd_tables_wait(o->tables, 20);
		if (o->running)
			o->ops->process(o->source);
	}
}

/* A slice of copying; samples come first. */
static void work_on_jit(struct opd *o)
{
	int err = opd_jit_work(o->jit, o->session.current_fd, op_now_ms());

	if (err && !o->jit_failed)
		opd_log(&o->log, OPD_WARN, "cannot keep what programs tell of code they made: %s",
			op_strerror(err));
	o->jit_failed |= err != 0;
}

static void finish_jit(struct opd *o)
{
	opd_jit_begin(o->jit, true);
	while (opd_jit_busy(o->jit)) {
		work_on_jit(o);
		if (o->running)
			o->ops->process(o->source);
	}
}

/* A sample file was shortened under our hands: what is open is opened anew, and found to be what it is. */
static void look_for_lost_pages(struct opd *o)
{
	unsigned long lost = odb_lost_pages();

	if (lost == o->lost_pages)
		return;
	o->lost_pages = lost;
	o->stats.file_lost = o->stats.page_lost = true;
	opd_sample_cache_close_all(o->cache);
	opd_log(&o->log, OPD_ERROR, "a sample file was shortened by somebody, or cannot be read any more: "
		"what it held is counted as lost");
}

/* A file was damaged: the books shall tell what the files hold, and the rest as lost. */
static void balance(struct opd *o)
{
	uint64_t sum, unreadable;
	int err = opd_recover_sum(o->session.current_fd, &sum, &unreadable);

	if (!err)
		err = opd_recover_running(&o->stats, sum, o->stats.page_lost ? "lost_file_damaged" :
					  "lost_crash");
	if (err)
		opd_log(&o->log, OPD_WARN, "the sample files cannot be added up: %s",
			op_strerror(err));
}

/*
 * Everything on its way to the disk; @wait: there. One syncfs() for all, because each file alone
 * costs a commit of the journal and there are hundreds.
 */
static int sync_session(struct opd *o, bool wait)
{
	int err, err2;

	look_for_lost_pages(o);
	err = opd_sample_cache_sync(o->cache);
	write_build_ids(o);
	write_task_names(o);
	if (!wait)
		opd_jit_begin(o->jit, false);
	else
		keep_tables(o);
	if (wait && o->stats.file_lost)
		balance(o);
	/* Files before totals: these may tell less than those hold (opd_recover_totals()). */
	snapshot(o, wait);
	if (wait || o->running)
		opd_about_write(o->cfg, o->session.current_fd);
	err2 = write_totals(o);
	if (wait && syncfs(o->session.current_fd) < 0 && !err)
		err = -errno;
	if (err)
		opd_log(&o->log, OPD_ERROR, "writing sample files to disk failed: %s",
			strerror(-err));
	o->synced_ms = op_now_ms();
	return err ? err : err2;
}

/* What a report needs beside the samples, too: as much copying as the budgets allow. */
static int write_all(struct opd *o)
{
	finish_jit(o);
	return sync_session(o, true);
}

static void source_failed(struct opd *o, const char *doing, int err)
{
	if (o->failures++ == 0)
		opd_log(&o->log, OPD_ERROR, "%s: %s", doing, strerror(-err));
	if (o->failures == MAX_FAILURES) {
		opd_log(&o->log, OPD_ERROR, "the source of samples does not work any more: ending");
		o->result = err;
		o->quit = true;
	}
}

static int flush_source(struct opd *o)
{
	int err = o->ops->flush(o->source);

	if (err < 0)
		opd_log(&o->log, OPD_ERROR, "draining the sample buffers failed: %s",
			strerror(-err));
	return err < 0 ? err : 0;
}

static int start(struct opd *o)
{
	int err;

	if (o->running)
		return 0;
	err = o->ops->start(o->source);
	if (err) {
		opd_log(&o->log, OPD_ERROR, "sampling cannot be started: %s", strerror(-err));
		return err;
	}
	o->running = true;
	o->settled = false;
	opd_about_write(o->cfg, o->session.current_fd);
	opd_log(&o->log, OPD_INFO, "sampling started");
	return 0;
}

static int stop(struct opd *o)
{
	int err, err2;

	if (!o->running)
		return 0;
	err = o->ops->stop(o->source);
	if (err)
		opd_log(&o->log, OPD_ERROR, "sampling cannot be stopped: %s", strerror(-err));
	err2 = flush_source(o);
	o->running = false;
	o->settled = !err && !err2;
	opd_log(&o->log, OPD_INFO, "sampling stopped");
	return err ? err : err2;
}

/* Sampling ends and everything is on disk. */
static int finish(struct opd *o)
{
	int err, err2;

	if (o->finished)
		return 0;
	o->finished = true;
	err = stop(o);
	err2 = write_all(o);
	return err ? err : err2;
}

static int dump(struct opd *o)
{
	int err = o->running ? flush_source(o) : 0;
	int err2 = write_all(o);

	return err ? err : err2;
}

/* What was current becomes @name, or nothing when @name is NULL. */
static int new_session(struct opd *o, const char *name)
{
	struct op_session_stats source = { 0 };
	int err;

	if (o->running)
		flush_source(o);
	if (name)
		write_all(o);
	opd_sample_cache_close_all(o->cache);
	err = name ? opd_session_save(&o->session, name) : opd_session_reset(&o->session);
	if (err)
		return err;
	opd_log(&o->log, OPD_INFO, "%s%s", name ? "session saved as " : "session reset",
		name ? name : "");
	opd_sample_cache_restart(o->cache);
	opd_images_new_session(o->images);
	o->nr_build_ids = 0;
	o->told_full = 0;
	opd_jit_restart(o->jit);
	opd_task_names_restart(o->task_names);
	err = o->ops->stats(o->source, &source);
	if (!err)
		err = opd_stats_restart(&o->stats, &source, o->settled);
	op_session_stats_release(&source);
	opd_settings_write(o->cfg, o->session.current_fd);
	/* The old session's was linked, where that can be. */
	if (faccessat(o->session.current_fd, OP_KERNEL_SYMS_FILE, F_OK, 0) < 0)
		opd_kernel_snapshot(o->kernel, o->session.current_fd);
	return err ? err : write_totals(o);
}

static void hang_up(struct opd *o)
{
	int err = opd_log_open(&o->log, o->session.samples_fd, "oprofiled.log");

	if (err)
		opd_log(&o->log, OPD_ERROR, "cannot open the log again: %s", strerror(-err));
	sync_session(o, false);
	opd_sample_cache_close_all(o->cache);
	opd_log(&o->log, OPD_INFO, "log and sample files opened again");
}

/* What was taken, and where it is: each loss by its name, as opcontrol has words for it. */
static void tell_books(struct opd *o, struct opd_reply *reply)
{
	struct op_session_stats t;

	if (totals(o, &t) == 0) {
		opd_reply_add(reply, "taken", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_TAKEN));
		opd_reply_add(reply, "stored", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_STORED));
		opd_reply_add(reply, "lost", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_LOSS));
	}
	for (size_t i = 0; i < t.nr; i++) {
		const struct op_stat_value *v = &t.values[i];
		char key[64];

		if (!v->value || !v->desc || v->desc->kind != OP_STAT_LOSS)
			continue;
		snprintf(key, sizeof(key), "stat %s", v->name);
		opd_reply_add(reply, key, "%llu", (unsigned long long)v->value);
	}
	op_session_stats_release(&t);
}

static const char *status(struct opd *o, struct opd_reply *reply)
{
	char events[4096] = "", backend[512], backend_why[512];

	opd_reply_add(reply, "state", "%s", o->running ? "running" : "paused");
	opd_reply_add(reply, "pid", "%d", (int)getpid());
	opd_reply_add(reply, "source", "%s", o->ops->name);
	opd_reply_add(reply, "why", "%s", o->why);
	if (o->ops->backend && o->ops->backend(o->source, backend, backend_why, sizeof(backend)) == 0) {
		opd_reply_add(reply, "backend", "%s", backend);
		opd_reply_add(reply, "backend-why", "%s", backend_why);
	}
	opd_reply_add(reply, "session-dir", "%s", o->session.paths.dir);
	opd_settings_events(o->cfg, events, sizeof(events));
	if (o->cfg->cpu.cpu)
		opd_reply_add(reply, "cpu", "%s", o->cfg->cpu.cpu->name);
	opd_reply_add(reply, "events", "%s", events);
	opd_reply_add(reply, "open-files", "%zu", opd_sample_cache_nr_open(o->cache));
	tell_books(o, reply);
	return NULL;
}

__attribute__((format(printf, 2, 3)))
static const char *say_error(struct opd *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(o->error, sizeof(o->error), fmt, ap);
	va_end(ap);
	return o->error;
}

static const char *say_result(struct opd *o, const char *doing, int err)
{
	return err ? say_error(o, "%s: %s (see %s)", doing, op_strerror(err), o->session.paths.log) :
		NULL;
}

/* Of a request that promises data on disk: what found no room since the last one is not there. */
static const char *say_written(struct opd *o, const char *doing, int err)
{
	uint64_t full = o->stats.v[OPD_STAT_DISK_FULL], lost = full - o->told_full;

	o->told_full = full;
	if (!lost)
		return say_result(o, doing, err);
	return say_error(o, "%s: no room on the disk of %s: %llu samples are lost (make room, or choose "
			 "another --session-dir; the daemon carries on by itself)", doing,
			 o->session.paths.current, (unsigned long long)lost);
}

static const char *save(struct opd *o, const char *name)
{
	int err;

	if (!op_session_name_ok(name))
		return say_error(o, "'%s' cannot be the name of a session (" OP_SESSION_NAME_RULE
				 ")", name);
	err = new_session(o, name);
	if (err == -EEXIST || err == -ENOTEMPTY)
		return say_error(o, "session %s already exists", name);
	if (err == -ENODATA)
		return say_error(o, "there are no samples yet to be saved as %s", name);
	return say_result(o, "the session cannot be saved", err);
}

/* For messages. */
static const char *owner_name(void)
{
	const struct passwd *user = geteuid() ? getpwuid(geteuid()) : NULL;

	return user ? user->pw_name : geteuid() ? "its own user" : "root";
}

static const char *refuse_stranger(struct opd *o)
{
	const struct group *group = o->cfg->group == (gid_t)-1 ? NULL : getgrgid(o->cfg->group);

	if (!group)
		return say_error(o, "only %s may do that; a daemon started with --group=NAME answers a "
				 "group too", owner_name());
	return say_error(o, "only %s and the group %s may do that (usermod -aG %s USER takes somebody in, "
			 "from their next login on)", owner_name(), group->gr_name, group->gr_name);
}

static const char *request(void *arg, char *line, enum opd_peer peer, struct opd_reply *reply)
{
	struct opd *o = arg;

	opd_log(&o->log, OPD_DEBUG, "asked to: %s", line);
	if (strcmp(line, "ping") == 0)
		return NULL;
	if (peer == OPD_PEER_STRANGER)
		return refuse_stranger(o);
	if (strcmp(line, "status") == 0)
		return status(o, reply);
	if (strcmp(line, "dump") == 0) {
		/* It costs a sync of the disk: not for anybody as often as he likes. */
		if (peer != OPD_PEER_OWNER && op_now_ms() - o->member_dump_ms < MEMBER_DUMP_MS)
			return "there was a dump less than a second ago: try again";
		if (peer != OPD_PEER_OWNER)
			o->member_dump_ms = op_now_ms();
		return say_written(o, "not all data could be written", dump(o));
	}
	if (peer != OPD_PEER_OWNER)
		return say_error(o, "only %s may do that; you may ask for dump, status and ping",
				 owner_name());
	if (strcmp(line, "start") == 0)
		return say_result(o, "sampling cannot be started", start(o));
	if (strcmp(line, "stop") == 0) {
		int err = stop(o), err2 = write_all(o);

		return say_result(o, "stopping failed", err ? err : err2);
	}
	if (strcmp(line, "reset") == 0)
		return say_result(o, "the session could not be reset", new_session(o, NULL));
	if (strncmp(line, "save ", 5) == 0)
		return save(o, line + 5);
	if (strcmp(line, "shutdown") == 0) {
		int err = finish(o);

		o->quit = true;
		return say_written(o, "not all data could be written", err);
	}
	return "unknown request (start, stop, dump, reset, save NAME, status, shutdown, ping)";
}

static void take_signals(struct opd *o)
{
	struct signalfd_siginfo info;

	while (read(o->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGHUP:
			hang_up(o);
			break;
		case SIGUSR1:
			start(o);
			break;
		case SIGUSR2:
			stop(o);
			write_all(o);
			break;
		default:
			opd_log(&o->log, OPD_INFO, "ending on signal %u", info.ssi_signo);
			o->quit = true;
		}
	}
}

/* A daemon was killed here: what it did not get to tell is in the files. */
static int recover(struct opd *o)
{
	uint64_t sum, unreadable;
	uint64_t stored = op_session_stats_sum(&o->stats.earlier, OP_STAT_STORED);
	int err = opd_recover_sum(o->session.current_fd, &sum, &unreadable);

	if (err)
		return err;
	opd_log(&o->log, OPD_WARN,
		"the daemon before this one (pid %d) did not shut down; its sample files hold %llu "
		"samples, its last totals told of %llu", (int)o->session.crashed_pid,
		(unsigned long long)sum, (unsigned long long)stored);
	if (unreadable)
		opd_log(&o->log, OPD_WARN, "%llu sample files cannot be read",
			(unsigned long long)unreadable);
	err = op_session_stats_add(&o->stats.earlier, "daemon_killed", 1);
	return err ? err : opd_recover_totals(&o->stats.earlier, sum, "lost_crash");
}

/* Samples of another kernel cannot be told by the symbols of this one: they get a session's name. */
static int put_other_kernel_away(struct opd *o)
{
	char *release, name[160];
	int err = -EEXIST;

	if (!opd_kernel_differs(o->kernel, o->session.current_fd, &release))
		return 0;
	for (int i = 1; i < 1000 && err == -EEXIST; i++) {
		snprintf(name, sizeof(name), "kernel-%.100s-%d", release, i);
		err = opd_session_save(&o->session, name);
	}
	free(release);
	if (err)
		return err;
	opd_log(&o->log, OPD_WARN, "the current session was recorded under another kernel: "
		"it is now session %s, and a new one begins", name);
	op_session_stats_release(&o->stats.earlier);
	return 0;
}

static bool lock_session(struct opd *o, char *why, size_t size)
{
	pid_t holder = 0;
	int err = opd_session_lock(&o->session, &holder);

	/* Somebody may be looking whether it is locked. */
	for (int i = 0; i < 10 && err == -EBUSY; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		err = opd_session_lock(&o->session, &holder);
	}
	if (!err)
		return true;
	if (err == -EBUSY && holder)
		snprintf(why, size, "a daemon is already running with %s (pid %d); opcontrol "
			 "--shutdown ends it", o->session.paths.dir, (int)holder);
	else if (err == -EBUSY)
		snprintf(why, size, "a daemon is already running with %s; opcontrol --shutdown "
			 "ends it", o->session.paths.dir);
	else
		snprintf(why, size, "cannot lock %s: %s%s", o->session.paths.lock, strerror(-err),
			 err == -EPERM ? " (it is another user's file: remove it)" : "");
	return false;
}

static int try_source(struct opd *o, const struct opd_source_ops *ops, char *why, size_t size)
{
	const char *reason = NULL;
	size_t len;
	int err = ops->create(&o->source, o->cfg, o->images, &o->attribution.sink, &reason);

	if (err) {
		snprintf(why, size, "%s (%s)", reason ? reason : "it did not open", strerror(-err));
		return err;
	}
	o->ops = ops;
	if (reason) {
		len = strlen(o->why);
		snprintf(o->why + len, sizeof(o->why) - len, "; %s", reason);
		opd_log(&o->log, OPD_INFO, "%s", reason);
	}
	return 0;
}

static int open_source(struct opd *o, char *why, size_t size)
{
	char first[400];
	size_t len;
	const char *asked = o->cfg->set.why ? o->cfg->set.why : "asked for";
	int err;

	switch (o->cfg->source) {
	case OPD_SOURCE_MODULE:
		snprintf(o->why, sizeof(o->why), "%s", asked);
		return try_source(o, &opd_source_oprofilefs, why, size);
	case OPD_SOURCE_REPLAY:
		snprintf(o->why, sizeof(o->why), "asked for: %s", o->cfg->set.replay);
		return try_source(o, &opd_source_replay, why, size);
	case OPD_SOURCE_PERF:
		snprintf(o->why, sizeof(o->why), "%s", asked);
		return try_source(o, &opd_source_perf, why, size);
	default:
		break;
	}
	err = try_source(o, &opd_source_oprofilefs, first, sizeof(first));
	if (!err) {
		snprintf(o->why, sizeof(o->why), "the kernel module is loaded");
		return 0;
	}
	snprintf(o->why, sizeof(o->why), "perf_events instead of the module: %s", first);
	err = try_source(o, &opd_source_perf, why, size);
	if (!err) {
		opd_log(&o->log, OPD_INFO, "using %s", o->why);
		return 0;
	}
	len = strlen(why);
	snprintf(why + len, size - len, "; and %s", first);
	return err;
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	taken_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_session(struct opd *o, char *why, size_t size)
{
	int err = opd_session_open(&o->session, o->cfg->set.session_dir, o->cfg->group, why, size);

	if (err)
		return err;
	if (!lock_session(o, why, size))
		return -EBUSY;
	err = opd_log_open(&o->log, o->session.samples_fd, "oprofiled.log");
	if (err) {
		snprintf(why, size, "cannot open the log %s: %s", o->session.paths.log,
			 strerror(-err));
		return err;
	}
	err = op_abi_write(o->session.dir_fd, "abi");
	if (err)
		opd_log(&o->log, OPD_WARN, "cannot write %s: %s", o->session.paths.abi,
			op_strerror(err));
	return 0;
}

/* What a killed daemon left is told before anything else may fail. */
static int open_books(struct opd *o)
{
	int err = op_session_stats_read(&o->stats.earlier, o->session.current_fd);

	if (err && err != -ENOENT)
		opd_log(&o->log, OPD_WARN, "the session's earlier totals cannot be read: %s",
			op_strerror(err));
	if (!o->session.crashed)
		return 0;
	err = recover(o);
	if (!err)
		err = op_session_stats_write(&o->stats.earlier, o->session.current_fd);
	o->session.untold = err != 0;
	return err;
}

/* Told at the start, on stderr too, while there still is a way out of mixing. */
static void note_settings(struct opd *o)
{
	bool elsewhere = strcmp(o->session.paths.dir, OP_DEFAULT_SESSION_DIR) != 0;
	char *changed = opd_settings_changed(o->cfg, o->session.current_fd);

	if (changed)
		opd_log(&o->log, OPD_WARN, "the current session was sampled with %s: reports will have both. "
			"opcontrol%s%s%s --save=NAME puts away what there is, --reset instead forgets it", changed,
			elsewhere ? " --session-dir='" : "", elsewhere ? o->session.paths.dir : "",
			elsewhere ? "'" : "");
	free(changed);
	opd_settings_write(o->cfg, o->session.current_fd);
}

static int create_parts(struct opd *o, char *why, size_t size)
{
	const struct op_cpu_desc *cpu = o->cfg->cpu.cpu;
	int err = open_session(o, why, size);

	if (err)
		return err;
	snprintf(why, size, "out of memory");
	err = opd_images_create(&o->images);
	if (err)
		return err;
	snprintf(why, size, "the kernel's symbols or modules cannot be read");
	err = opd_kernel_create(&o->kernel, o->cfg, &o->log, &opd_kernel_files_default);
	if (err)
		return err;
	snprintf(why, size, "the books of the daemon before, which was killed, cannot be put in order in %s",
		 o->session.paths.current);
	err = open_books(o);
	if (err)
		return err;
	snprintf(why, size, "the session of another kernel cannot be put away");
	err = put_other_kernel_away(o);
	if (err)
		return err;
	snprintf(why, size, "out of memory");
	err = opd_sample_cache_create(&o->cache, o->cfg, &o->session, &o->stats, &o->log,
				      cpu ? cpu->number : OP_CPU_TIMER, op_cpu_speed_mhz());
	if (err)
		return err;
	opd_sample_cache_tell(o->cache, o->images);
	opd_attribution_init(&o->attribution, o->cfg, o->kernel, o->cache, &o->stats, &o->log);
	if (o->cfg->source != OPD_SOURCE_REPLAY) {
		o->jit = opd_jit_create("/proc", "/tmp");
		if (!o->jit)
			return -ENOMEM;
		o->attribution.jit = o->jit;
	}
	if (o->cfg->set.separate & OP_SEPARATE_THREAD && o->cfg->source != OPD_SOURCE_REPLAY) {
		err = opd_task_names_create(&o->task_names, "/proc");
		if (err)
			return err;
		o->attribution.names = o->task_names;
	}
	if (o->cfg->symbols && o->cfg->source != OPD_SOURCE_REPLAY) {
		snprintf(why, size, "the directory of symbol tables, %s/" OP_TABLES_DIR ", is not to be had",
			 o->session.paths.samples);
		err = opd_tables_create(&o->tables, o->session.samples_fd, o->cfg->symbols, &o->log);
		if (err)
			return err;
		opd_images_tell_new(o->images, keep_table, o);
	}
	err = open_source(o, why, size);
	if (err)
		return err;
	snprintf(why, size, "cannot make the signal descriptor");
	o->signal_fd = open_signals();
	if (o->signal_fd < 0)
		return o->signal_fd;
	o->max_fds = OPD_CONTROL_FDS + 2 + 64 +
		(sysconf(_SC_NPROCESSORS_CONF) + 8) * o->cfg->nr_events;
	o->fds = calloc(o->max_fds, sizeof(*o->fds));
	if (!o->fds)
		return -ENOMEM;
	note_settings(o);
	snprintf(why, size, "cannot write into %s", o->session.paths.current);
	err = sync_session(o, false);
	if (err)
		return err;
	if (o->cfg->set.start) {
		snprintf(why, size, "sampling cannot be started");
		err = start(o);
		if (err)
			return err;
	}
	snprintf(why, size, "cannot make the control socket %s", o->session.paths.control);
	return opd_control_create(&o->control, o->session.dir_fd, "control", o->cfg->group, request,
				  o);
}

int opd_create(struct opd **ret, const struct opd_config *cfg, char *why, size_t why_size)
{
	struct opd *o = calloc(1, sizeof(*o));
	size_t len;
	int err;

	if (!o) {
		snprintf(why, why_size, "out of memory");
		return -ENOMEM;
	}
	o->cfg = cfg;
	o->signal_fd = -1;
	o->session.dir_fd = o->session.samples_fd = o->session.current_fd = -1;
	o->session.lock_fd = -1;
	o->settled = true;
	opd_log_init(&o->log);
	o->log.verbose = cfg->set.verbose;
	o->log.to_stderr = true;
	opd_stats_init(&o->stats);

	why[0] = '\0';
	err = create_parts(o, why, why_size);
	if (err) {
		len = strlen(why);
		if (!strstr(why, strerror(-err)) && err != -EBUSY)
			snprintf(why + len, why_size - len, ": %s", op_strerror(err));
		o->log.to_stderr = false;
		opd_log(&o->log, OPD_ERROR, "%s", why);
		opd_destroy(o);
		return err;
	}
	if (*cfg->cpu.note)
		opd_log(&o->log, OPD_INFO, "%s", cfg->cpu.note);
	opd_log(&o->log, OPD_INFO, "ready, source %s (%s)", o->ops->name, o->why);
	*ret = o;
	return 0;
}

void opd_quiet(struct opd *o)
{
	o->log.to_stderr = false;
}

static int until(uint64_t due_ms)
{
	uint64_t now = op_now_ms();

	return due_ms > now ? (int)(due_ms - now) : 0;
}

static int earlier(int a, int b)
{
	return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

static bool replaying(const struct opd *o)
{
	return o->running && o->cfg->source == OPD_SOURCE_REPLAY;
}

/* Milliseconds that poll() may wait. */
static int patience(const struct opd *o)
{
	int wait = opd_control_timeout(o->control);

	if (replaying(o) || opd_jit_busy(o->jit))
		return 0;
	if (opd_sample_cache_dirty(o->cache))
		wait = earlier(wait, until(o->synced_ms + SYNC_MS));
	if (o->unbooked)
		wait = earlier(wait, until(o->booked_ms + BOOKS_MS));
	if (opd_tables_fd(o->tables) >= 0)
		wait = earlier(wait, 1000);
	if (o->running && opd_kernel_snapshot_due(o->kernel, true))
		wait = earlier(wait, 1000);
	return wait;
}

static void turn(struct opd *o)
{
	size_t nr_control, nr_source;
	bool ready = replaying(o);
	int n, ret;

	nr_control = opd_control_fds(o->control, o->fds + 1);
	o->fds[0] = (struct pollfd){ .fd = o->signal_fd, .events = POLLIN };
	nr_source = o->ops->fds(o->source, o->fds + 1 + nr_control, o->max_fds - 2 - nr_control);
	o->fds[1 + nr_control + nr_source] =
		(struct pollfd){ .fd = opd_tables_fd(o->tables), .events = POLLIN };
	n = poll(o->fds, 2 + nr_control + nr_source, patience(o));
	if (n < 0 && errno != EINTR)
		source_failed(o, "waiting for samples failed", -errno);
	if (n < 0)
		return;

	for (size_t i = 0; i < nr_source; i++)
		ready |= o->fds[1 + nr_control + i].revents != 0;
	if (ready) {
		o->unbooked = true;
		ret = o->ops->process(o->source);
		opd_sample_cache_flush(o->cache);
		if (ret < 0)
			source_failed(o, "reading samples failed", ret);
		else
			o->failures = 0;
		if (ret == 1)
			o->quit = true;
		look_for_lost_pages(o);
	}
	opd_tables_turn(o->tables);
	if (o->fds[0].revents)
		take_signals(o);
	opd_control_process(o->control, o->fds + 1, nr_control);
	if (opd_sample_cache_dirty(o->cache) && op_now_ms() - o->synced_ms >= SYNC_MS)
		sync_session(o, false);
	else
		snapshot(o, false);
	work_on_jit(o);
	/* Losses too: on a full disk there is nothing else to be written. */
	if (o->unbooked && op_now_ms() - o->booked_ms >= BOOKS_MS)
		write_totals(o);
}

int opd_run(struct opd *o)
{
	int err;

	opd_notify("READY=1");
	while (!o->quit)
		turn(o);
	opd_notify("STOPPING=1");
	err = finish(o);
	opd_log(&o->log, OPD_INFO, "ended");
	return o->result ? o->result : err;
}

void opd_destroy(struct opd *o)
{
	if (!o)
		return;
	opd_control_destroy(o->control);
	free(o->fds);
	if (o->signal_fd >= 0)
		close(o->signal_fd);
	if (o->source)
		o->ops->destroy(o->source);
	opd_tables_destroy(o->tables);
	opd_task_names_destroy(o->task_names);
	opd_jit_destroy(o->jit);
	opd_sample_cache_destroy(o->cache);
	opd_kernel_destroy(o->kernel);
	opd_images_destroy(o->images);
	opd_stats_release(&o->stats);
	opd_log_release(&o->log);
	opd_session_release(&o->session);
	free(o);
}
