// SPDX-License-Identifier: GPL-2.0-or-later
/* intervals.c -- closing of intervals, and the work on closed ones. */
#include "config.h"
#include "daemon/intervals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/next_session.h"
#include "daemon/verbs.h"
#include "intervals/gaps.h"
#include "intervals/plan.h"
#include "intervals/store.h"
#include "intervals/work.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/error.h"
#include "libop/base/time_words.h"
#include "libop/session/about.h"
#include "libop/session/identity.h"
#include "libop/session/paths.h"

#define PROGRAM		"opintervals"
#define NICE		10
#define CLOCK_STEP_S	5	/* a larger difference between two clocks is a change of the clock */
#define FIRST_TIME	1577836800	/* 2020: an earlier time is that of a clock that was not set */
#define LEAST_GAP_NS	2000000000	/* shorter times without samples are not noted */
#define SUSPEND_MS	2000
#define LOOK_MS		500	/* time between two looks at a process */
#define MAX_WAIT_MS	60000	/* limit of the wait for a time: the clock may be changed */
#define RETRY_MS	60000
#define MAX_FAILURES	6	/* beyond it, the time between two tries stays the same */
/* the current session may grow by this share of --max-disk, then its interval is closed early */
#define GROWTH_SHARE	8
/* time between two looks at the disk, and at least this multiple of the time that a look takes */
#define LOOK_AT_DISK_MS	10000
#define LOOK_COST	500
/* after this share of --max-disk was written, the disk is looked at early */
#define LOOK_SHARE	32
/* a session that is closed early because the disk is full has at least this share */
#define LEAST_SHARE	64
/* the log begins anew when it has this share of --max-disk */
#define LOG_SHARE	128
#define LOG_NAME	"oprofiled.log"
#define TABLES_SHARE	4	/* share of --max-disk that symbol tables may have */

static int64_t now_s(void)
{
	return (int64_t)(op_clock_ms(CLOCK_REALTIME) / 1000);
}

static uint64_t suspended_ms(void)
{
	return op_clock_ms(CLOCK_BOOTTIME) - op_now_ms();
}

/* Return the first end of an interval after @time: intervals begin at multiples of their length
 * after the local midnight of 1970, so that those of an hour are hours of the local clock. */
static int64_t next_end(int64_t interval, int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm = { 0 };
	int64_t local;

	localtime_r(&t, &tm);
	local = time + tm.tm_gmtoff;
	return local - local % interval + interval - tm.tm_gmtoff;
}

/* Return the part of --max-disk that stays free of closed intervals: for the growth of the current
 * session, and for the work on intervals. */
static uint64_t reserve(const struct opd_intervals *i)
{
	return i->max_disk / GROWTH_SHARE + i->max_disk / OPD_DISK_WORK +
	       i->max_disk / OPD_DISK_OTHERS;
}

/* Begin an interval at @time. @begin_ms: the same moment by CLOCK_BOOTTIME. */
static void begin(struct opd_intervals *i, int64_t time, uint64_t begin_ms)
{
	i->begin = time;
	i->begin_ms = begin_ms;
	i->next = next_end(i->interval, now_s());
	i->first_bytes = 0;
	op_dir_bytes(i->parts->session.current_fd, &i->first_bytes);
}

char *opd_intervals_program(void)
{
	char self[PATH_MAX], *path = NULL;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		if (asprintf(&path, "%s/../intervals/" PROGRAM, dirname(self)) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	path = strdup(OPD_LIBEXEC_DIR "/" PROGRAM);
	if (path && access(path, X_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Close the current session as the interval that ended at @end. */
static int close_interval(struct opd_intervals *i, int64_t end)
{
	struct itv_entry entry = { .begin = i->begin, .end = end, .is_session = true };
	struct opd_log *log = &i->parts->log;
	int err;

	if (entry.end <= entry.begin)
		entry.end = entry.begin + 1;
	err = itv_store_new_name(&entry, i->store_fd);
	if (!err)
		err = opd_close_interval(i->parts, i->store_fd, entry.name);
	if (err)
		opd_log(log, OPD_ERROR, "cannot close the interval %s, which goes on: %s", entry.name,
			op_strerror(err));
	else
		opd_log(log, OPD_DEBUG, "interval %s closed", entry.name);
	i->has_tables = i->idle = false;
	return err;
}

/* Delete the files of killed processes. */
static void delete_new(struct opd_intervals *i)
{
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(i->store_fd, ".", &dir))
		return;
	while ((d = op_next_entry(dir)))
		if (!strncmp(d->d_name, ITV_NEW_PREFIX, strlen(ITV_NEW_PREFIX)))
			unlinkat(i->store_fd, d->d_name, 0);
	closedir(dir);
}

/* Close the session of an earlier daemon, before this daemon opens its files. */
static int close_earlier(struct opd_intervals *i)
{
	struct opd_parts *p = i->parts;
	struct op_session_about about = { .begun = 0 };
	struct itv_entry entry = { .is_session = true };
	int err = op_session_has_samples(p->session.current_fd);

	if (err <= 0)
		return err;
	op_session_about_read(&about, p->session.current_fd);
	entry.begin = about.begun ? about.begun : now_s();
	entry.end = about.ended > entry.begin ? about.ended : entry.begin + 1;
	err = itv_store_new_name(&entry, i->store_fd);
	if (!err)
		err = opd_session_close(&p->session, i->store_fd, entry.name);
	if (!err)
		op_session_stats_release(&p->accounting.stats.earlier);
	return err;
}

/* Delete an interval file, or a closed session. */
static int delete_entry(struct opd_intervals *i, const struct itv_entry *entry)
{
	if (entry->is_session)
		return opd_session_delete(&i->parts->session, i->store_fd, entry->name);
	return unlinkat(i->store_fd, entry->name, 0) && errno != ENOENT ? -errno : 0;
}

/* Delete the oldest interval that ends before @end. Return its bytes, or 0 if no interval was
 * deleted. */
static uint64_t delete_oldest(struct opd_intervals *i, int64_t end)
{
	const bool was_deleting = i->disk.is_deleting;
	struct itv_entry entry;
	int err = itv_store_oldest(&entry, i->store_fd, end);

	i->disk.is_deleting = true;
	if (!err)
		err = itv_store_note_removed(i->store_fd, entry.end);
	if (!err)
		err = delete_entry(i, &entry);
	i->disk.is_deleting = was_deleting;
	if (err)
		return 0;
	opd_log(&i->parts->log, OPD_DEBUG, "interval %s deleted", entry.name);
	return entry.bytes ? entry.bytes : 1;
}

static void make_room(void *arg, uint64_t bytes)
{
	struct opd_intervals *i = arg;
	uint64_t freed = 0, one;

	do {
		one = delete_oldest(i, now_s() - ITV_LAST_DAY);
		freed += one;
	} while (one && freed < bytes);
}

/* Add to @past the bytes of what can become smaller: the store, the session that an earlier daemon
 * left, and directories that are being deleted. Return 0 or a negative errno. */
static int add_past(const struct opd_intervals *i, struct op_dir_sum *past)
{
	const struct opd_session *s = &i->parts->session;
	struct dirent *d;
	DIR *dir, *deleted;
	int err = op_dir_sum_add(past, i->store_fd);

	if (!err)
		err = op_dir_sum_add(past, s->current_fd);
	if (!err)
		err = op_open_dir(s->samples_fd, ".", &dir);
	if (err)
		return err;
	while (!err && (d = op_next_entry(dir))) {
		if (strncmp(d->d_name, OP_DELETED_PREFIX, strlen(OP_DELETED_PREFIX)) ||
		    op_open_dir(s->samples_fd, d->d_name, &deleted))
			continue;
		err = op_dir_sum_add(past, dirfd(deleted));
		closedir(deleted);
		err = err == -ENOENT ? 0 : err;
	}
	closedir(dir);
	return err;
}

/* Begin to hold the session directory within --max-disk. */
static int limit_disk(struct opd_intervals *i, struct op_reason *error)
{
	const struct opd_session *s = &i->parts->session;
	struct op_dir_sum past = { .bytes = 0 };
	uint64_t others;
	int err = opd_disk_init(&i->disk, s->dir_fd, i->max_disk, make_room, i);

	if (err)
		goto cannot_count;
	opd_disk_watch(&i->disk, i->store_fd);
	if (opd_disk_left(&i->disk) < reserve(i))
		make_room(i, reserve(i));
	err = opd_disk_count(&i->disk);
	if (!err)
		err = add_past(i, &past);
	others = i->disk.counted > past.bytes ? i->disk.counted - past.bytes : 0;
	op_dir_sum_release(&past);
	if (err)
		goto cannot_count;
	/* until the first turn: an earlier daemon may have had a higher limit */
	i->disk.is_deleting = opd_disk_left(&i->disk) < ITV_LEAST_OTHERS;
	i->disk.is_working = true;
	if (!i->disk.is_deleting || others + ITV_LEAST_OTHERS <= i->max_disk)
		return 0;
	return op_fail(error, -ENOSPC,
		       "--max-disk=%" PRIu64 "M is too small: %s has %" PRIu64
		       " MB beside its intervals: use --max-disk=%" PRIu64
		       "M or more, or delete saved sessions in %s",
		       i->max_disk >> 20, s->paths.dir, others >> 20,
		       ((others + ITV_LEAST_OTHERS) >> 20) + 1, s->paths.samples);

cannot_count:
	return op_fail(error, err, "cannot count the bytes of the files in %s, which --max-disk "
		       "limits: %s", s->paths.dir, op_strerror(err));
}

int opd_intervals_open(struct opd_intervals *i, struct opd_parts *parts, struct op_reason *error)
{
	const struct opd_config *cfg = parts->cfg;
	int err, made;

	*i = (struct opd_intervals){ .parts = parts, .store_fd = -1 };
	if (!cfg->intervals.interval)
		return 0;
	i->interval = cfg->intervals.interval;
	i->keep = cfg->intervals.keep;
	i->max_disk = cfg->intervals.max_bytes;
	i->program = opd_intervals_program();
	if (!i->program)
		opd_log(&parts->log, OPD_WARN,
			PROGRAM " is not installed: closed intervals stay unpacked, and none is "
			"deleted");
	i->store_fd = opd_open_dir_at(parts->session.samples_fd, ITV_STORE_DIR, 0755, &made);
	err = i->store_fd < 0 ? i->store_fd : 0;
	if (!err) {
		delete_new(i);
		err = limit_disk(i, error);
		if (err)
			return err;
		err = close_earlier(i);
	}
	begin(i, now_s(), op_clock_ms(CLOCK_BOOTTIME));
	i->suspended_ms = suspended_ms();
	i->paused_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);
	return err ? op_fail(error, err, "cannot open the intervals in %s: %s",
			     parts->session.paths.samples, op_strerror(err)) : 0;
}

/* End the process at once. A later daemon starts its work again. */
static void end_child(struct opd_intervals *i)
{
	if (!i->child)
		return;
	kill(i->child, SIGKILL);
	while (waitpid(i->child, NULL, 0) < 0 && errno == EINTR)
		;
	i->child = 0;
	delete_new(i);
}

void opd_intervals_release(struct opd_intervals *i)
{
	end_child(i);
	opd_disk_release(&i->disk);
	free(i->program);
	if (i->interval && i->store_fd >= 0)
		close(i->store_fd);
	i->program = NULL;
	i->interval = 0;
}

static void note_gap(struct opd_intervals *i, int64_t from_ns, int64_t to_ns, const char *reason)
{
	int err;

	if (to_ns - from_ns < LEAST_GAP_NS)
		return;
	err = itv_gaps_append(i->parts->session.current_fd, from_ns, to_ns, reason);
	if (err)
		opd_log(&i->parts->log, OPD_WARN, "cannot note a time without samples (%s): %s",
			reason, op_strerror(err));
}

void opd_intervals_note_lost(struct opd_intervals *i, const char *reason)
{
	if (i->interval)
		note_gap(i, i->begin * 1000000000, (int64_t)op_clock_ns(CLOCK_REALTIME), reason);
}

/* Note the times in which no samples were taken. */
static void note_gaps(struct opd_intervals *i)
{
	int64_t now_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);
	uint64_t suspended = suspended_ms();

	if (suspended > i->suspended_ms + SUSPEND_MS)
		note_gap(i, now_ns - (int64_t)(suspended - i->suspended_ms) * 1000000, now_ns,
			 "suspended");
	i->suspended_ms = suspended;
	if (i->parts->sampling.running && i->paused_ns) {
		note_gap(i, i->paused_ns, now_ns, "stopped");
		i->paused_ns = 0;
	} else if (!i->parts->sampling.running && !i->paused_ns) {
		i->paused_ns = now_ns;
	}
}

/* Close the interval if its time has come or if somebody has changed the clock. */
static void close_in_time(struct opd_intervals *i)
{
	/* Closing may take seconds on a busy machine, so the times are read once. */
	const uint64_t now_ms = op_clock_ms(CLOCK_BOOTTIME), lasted_ms = now_ms - i->begin_ms;
	int64_t now = now_s(), end = i->begin + (int64_t)(lasted_ms / 1000);
	int64_t step = now - end;
	bool is_changed = step >= CLOCK_STEP_S || step <= -CLOCK_STEP_S;
	int err;

	if (now < i->next && !is_changed)
		return;
	if (op_now_ms() < i->retry_close_ms)
		return;
	/* While sampling is stopped, the interval goes on, unless it has samples. */
	if (i->paused_ns && !op_session_has_samples(i->parts->session.current_fd)) {
		i->next = next_end(i->interval, now);
		if (is_changed)
			begin(i, now, now_ms);
		return;
	}
	if (i->paused_ns) {
		int64_t now_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);

		note_gap(i, i->paused_ns, now_ns, "stopped");
		i->paused_ns = now_ns;
	}
	if (is_changed && i->begin < FIRST_TIME && now >= FIRST_TIME) {
		/* The clock was not set when the machine started: only now the time is known. */
		i->begin = now - (int64_t)(lasted_ms / 1000);
		end = now;
	}
	err = close_interval(i, is_changed ? end : now);
	if (err) {
		i->retry_close_ms = op_now_ms() + RETRY_MS;
		return;
	}
	if (is_changed)
		opd_log(&i->parts->log, OPD_WARN,
			"the clock was changed by %" PRId64 " s: a new interval begins", step);
	begin(i, now, now_ms);
}

/* Begin a new log if the log has become long. */
static void limit_log(struct opd_intervals *i)
{
	const int dir = i->parts->session.samples_fd;
	struct stat st;

	if (fstatat(dir, LOG_NAME, &st, AT_SYMLINK_NOFOLLOW) ||
	    (uint64_t)st.st_size < i->max_disk / LOG_SHARE ||
	    renameat(dir, LOG_NAME, dir, LOG_NAME ".1"))
		return;
	opd_log_open(&i->parts->log, dir, LOG_NAME);
}

/* End the interval early if the current session has grown too much, or if it is full. Have
 * intervals deleted if the session directory is too large. */
static void look_at_disk(struct opd_intervals *i)
{
	const bool is_refused = i->disk.is_refused;
	uint64_t began = op_now_ms(), took, grown, current = 0;

	if (began < i->look_ms && (began < i->disk.count_ms ||
				   (!is_refused && i->disk.granted < i->max_disk / LOOK_SHARE)))
		return;
	limit_log(i);
	opd_disk_count(&i->disk);
	/* If the files cannot be counted, the interval goes on; requests are refused in time. */
	op_dir_bytes(i->parts->session.current_fd, &current);
	grown = current > i->first_bytes ? current - i->first_bytes : 0;
	if ((grown > i->max_disk / GROWTH_SHARE ||
	     (is_refused && grown > i->max_disk / LEAST_SHARE)) && i->next > now_s()) {
		opd_log(&i->parts->log, OPD_INFO,
			"the session has grown by %" PRIu64 " MB: its interval ends early",
			grown >> 20);
		i->next = now_s();
	}
	if (is_refused || opd_disk_left(&i->disk) < reserve(i))
		i->idle = false;
	i->disk.is_refused = false;
	took = op_now_ms() - began;
	i->look_ms = began + took + (took * LOOK_COST > LOOK_AT_DISK_MS ? took * LOOK_COST
									 : LOOK_AT_DISK_MS);
}

static int delete_replaced(struct opd_intervals *i, const struct itv_list *list)
{
	int err = 0;

	for (size_t n = 0; n < list->nr_replaced && !err; n++)
		err = delete_entry(i, &list->replaced[n]);
	return err;
}

/* Start opintervals in the store, which may add @room bytes. The first two elements of @argv are
 * set here. */
static int start_child(struct opd_intervals *i, char **argv, uint64_t room)
{
	static char *const env[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char room_text[40];
	sigset_t none;
	int err = opd_disk_hold(&i->disk, room);

	if (err)
		return err;
	snprintf(room_text, sizeof(room_text), "--room=%" PRIu64 ",%d", room, (int)getpid());
	argv[0] = (char *)PROGRAM;
	argv[1] = room_text;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_addfchdir_np(&actions, i->store_fd);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = -posix_spawn(&i->child, i->program, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (err) {
		i->child = 0;
		opd_disk_end_hold(&i->disk);
		return err;
	}
	setpriority(PRIO_PROCESS, (id_t)i->child, NICE);
	return 0;
}

/* Return how many bytes all interval files together may have: --max-disk, less the bytes of all
 * other files in the session directory, less the reserve. */
static uint64_t room_for_intervals(const struct opd_intervals *i, const struct itv_list *list)
{
	uint64_t used = i->disk.counted, packed = 0, others;

	for (size_t n = 0; n < list->nr; n++)
		packed += list->entries[n].bytes;
	others = (used > packed ? used - packed : 0) + reserve(i);
	return others < i->max_disk ? i->max_disk - others : 0;
}

/* Return how many bytes a process may write that makes an interval of about @max_bytes: the part of
 * --max-disk that is kept for the work that makes room (OPD_DISK_WORK), or twice @max_bytes if that
 * is more. If the last process had not enough, return all that is left. Never return more than is
 * left. */
static uint64_t room_to_write(const struct opd_intervals *i, uint64_t max_bytes)
{
	uint64_t room = i->max_disk / OPD_DISK_WORK, left = opd_disk_left(&i->disk);

	if (i->is_short)
		room = left;
	else if (2 * max_bytes > room)
		room = 2 * max_bytes;
	return room < left ? room : left;
}

static int start_pack(struct opd_intervals *i, const struct itv_plan_config *config,
		      const struct itv_entry *session)
{
	struct itv_step steps[ITV_NR_STEPS];
	char max[24];
	char *argv[] = { NULL, NULL, (char *)"pack", (char *)session->name, max, NULL };
	int err;

	itv_plan_steps(steps, config);
	snprintf(max, sizeof(max), "%" PRIu64, steps[0].max_bytes);
	err = start_child(i, argv, room_to_write(i, steps[0].max_bytes));
	if (!err)
		strcpy(i->packed, session->name);
	return err;
}

static int start_merge(struct opd_intervals *i, const struct itv_plan *plan)
{
	char **argv = calloc(plan->nr_parts + 6, sizeof(*argv)), step[8], max[24];
	int err;

	if (!argv)
		return -ENOMEM;
	snprintf(step, sizeof(step), "%u", plan->result.step);
	snprintf(max, sizeof(max), "%" PRIu64, plan->max_bytes);
	argv[2] = (char *)(plan->kind == ITV_PLAN_SHRINK ? "shrink" : "merge");
	argv[3] = step;
	argv[4] = max;
	for (size_t n = 0; n < plan->nr_parts; n++)
		argv[5 + n] = (char *)plan->parts[n]->name;
	err = start_child(i, argv, room_to_write(i, plan->max_bytes));
	free(argv);
	return err;
}

/* Return the latest end of a closed session, or INT64_MIN. */
static int64_t last_end(const struct itv_list *list)
{
	int64_t end = INT64_MIN;

	for (size_t n = 0; n < list->nr; n++)
		if (list->entries[n].is_session && list->entries[n].end > end)
			end = list->entries[n].end;
	return end;
}

/* Have the symbol tables of the intervals and of the closed sessions until @end kept, within a
 * share of --max-disk. Tables without room are added later. */
static int start_tables(struct opd_intervals *i, int64_t end)
{
	char max[24];
	char *argv[] = { NULL, NULL, (char *)"tables", max, NULL };

	uint64_t room = room_to_write(i, 0);

	i->has_tables = true;
	i->tables_end = end;
	snprintf(max, sizeof(max), "%" PRIu64, i->max_disk / TABLES_SHARE);
	return start_child(i, argv, room);
}

static int carry_out(struct opd_intervals *i, const struct itv_plan *plan)
{
	int err = 0;

	switch (plan->kind) {
	case ITV_PLAN_MERGE:
	case ITV_PLAN_SHRINK:
		return start_merge(i, plan);
	case ITV_PLAN_DELETE:
		i->is_stuck = false;
		i->disk.is_deleting = true;
		for (size_t n = 0; n < plan->nr_parts && !err; n++) {
			opd_log(&i->parts->log, OPD_DEBUG, "interval %s deleted",
				plan->parts[n]->name);
			err = itv_store_note_removed(i->store_fd, plan->parts[n]->end);
			if (!err)
				err = delete_entry(i, plan->parts[n]);
		}
		i->disk.is_deleting = false;
		return err;
	default:
		if (!i->has_tables)
			return start_tables(i, i->tables_end);
		i->idle = true;
		return 0;
	}
}

/* Do the next thing that must be done in the store, or start a process that does it. */
static int work(struct opd_intervals *i)
{
	struct itv_list list;
	struct itv_plan plan = { .nr_parts = 0 };
	struct itv_plan_config config = { .interval = i->interval, .keep = i->keep };
	const struct itv_entry *session = NULL;
	int err = itv_store_list(&list, i->store_fd);

	if (err)
		return err;
	opd_disk_count(&i->disk);
	config.last_day_is_stuck = i->is_stuck;
	config.max_bytes = room_for_intervals(i, &list);
	err = delete_replaced(i, &list);
	if (!err)
		err = itv_plan_next(&plan, &config, &list, now_s());
	for (size_t n = 0; n < list.nr && !session; n++)
		if (list.entries[n].is_session)
			session = &list.entries[n];
	/* Packing needs space, so it waits for deletions. It also needs the symbol tables, to which
	 * it has no access outside of the store. A session that cannot be packed does not block
	 * other work. */
	if (!err && session && plan.kind != ITV_PLAN_DELETE && session->end > i->tables_end)
		err = start_tables(i, last_end(&list));
	else if (!err && session && plan.kind != ITV_PLAN_DELETE &&
	    (i->failures % 2 == 0 || plan.kind == ITV_PLAN_NOTHING))
		err = start_pack(i, &config, session);
	else if (!err)
		err = carry_out(i, &plan);
	if (!err && i->idle)
		itv_store_kernels_keep(&list, i->store_fd);
	itv_plan_release(&plan);
	itv_list_release(&list);
	return err;
}

static void failed(struct opd_intervals *i, const char *cause)
{
	if (!i->failures)
		opd_log(&i->parts->log, OPD_ERROR,
			"cannot pack or merge intervals: %s; they stay as they are, and the daemon "
			"tries again", cause);
	if (i->failures < MAX_FAILURES)
		i->failures++;
	i->retry_ms = op_now_ms() + ((uint64_t)RETRY_MS << (i->failures - 1));
}

/* Delete the session that cannot be packed within --max-disk, and note its time. */
static void give_up(struct opd_intervals *i)
{
	struct itv_entry session;

	if (!itv_name_parse(&session, i->packed))
		return;
	opd_log(&i->parts->log, OPD_ERROR,
		"the interval %s is too large for --max-disk: its samples are deleted", i->packed);
	note_gap(i, session.begin * 1000000000, session.end * 1000000000,
		 "too large for --max-disk");
	delete_entry(i, &session);
}

/* The process had not enough room: give it more. */
static void handle_shortage(struct opd_intervals *i)
{
	if (!i->is_short) {
		i->is_short = true;
		return;
	}
	if (delete_oldest(i, INT64_MAX))
		return;
	if (*i->packed)
		give_up(i);
	i->is_short = false;
}

/* Note the end of the process. Return whether no process is running. */
static bool is_reaped(struct opd_intervals *i)
{
	char cause[80];
	int status;

	if (!i->child)
		return true;
	if (!waitpid(i->child, &status, WNOHANG))
		return false;
	i->child = 0;
	opd_disk_end_hold(&i->disk);
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		i->failures = 0;
		i->is_short = false;
		*i->packed = '\0';
		return true;
	}
	delete_new(i);
	if (WIFEXITED(status) && WEXITSTATUS(status) == ITV_EXIT_SHORT) {
		handle_shortage(i);
		*i->packed = '\0';
		return true;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == ITV_EXIT_STUCK) {
		i->is_stuck = true;
		return true;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == ITV_EXIT_BAD) {
		opd_log(&i->parts->log, OPD_WARN,
			"an interval cannot be merged and stays as it is: it is damaged, of a newer "
			"version, or a count is too high; " PROGRAM " check %s/" ITV_STORE_DIR
			"/*.opi names a damaged one",
			i->parts->session.paths.samples);
		return true;
	}
	/* Another program has filled the disk. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == ITV_EXIT_FULL)
		make_room(i, 1);
	*i->packed = '\0';
	if (WIFSIGNALED(status))
		snprintf(cause, sizeof(cause), PROGRAM " was killed by signal %d", WTERMSIG(status));
	else
		snprintf(cause, sizeof(cause), PROGRAM " failed");
	failed(i, cause);
	return true;
}

uint64_t opd_intervals_due(const struct opd_intervals *i)
{
	uint64_t now = op_now_ms(), wait;
	int64_t left = i->next - now_s();

	if (!i->interval)
		return UINT64_MAX;
	if (i->child)
		return now + LOOK_MS;
	wait = left <= 0 ? LOOK_MS : (uint64_t)left * 1000;
	if (wait > MAX_WAIT_MS)
		wait = MAX_WAIT_MS;
	if (now + wait > i->look_ms)
		wait = i->look_ms > now ? i->look_ms - now : 0;
	if (!i->idle && i->program)
		wait = i->retry_ms > now ? i->retry_ms - now < wait ? i->retry_ms - now : wait : 0;
	return now + wait;
}

void opd_intervals_turn(struct opd_intervals *i)
{
	int err;

	if (!i->interval || i->store_fd < 0)
		return;
	i->disk.is_working = i->disk.is_deleting = false;
	note_gaps(i);
	look_at_disk(i);
	close_in_time(i);
	if (!is_reaped(i) || i->idle || !i->program || op_now_ms() < i->retry_ms)
		return;
	err = work(i);
	if (err == -ENOSPC)
		make_room(i, reserve(i));
	if (err)
		failed(i, op_strerror(err));
}
