// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intervals.c -- closing of intervals: at the end of each interval, the current session becomes a
 * closed session, and a new session begins.
 */
#include "config.h"
#include "daemon/intervals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/interval_program.h"
#include "daemon/base/next_session.h"
#include "daemon/interval_work.h"
#include "daemon/verbs.h"
#include "intervals/plan.h"
#include "intervals/store.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/error.h"
#include "libop/base/time_words.h"
#include "libop/session/about.h"
#include "libop/session/identity.h"
#include "libop/session/paths.h"

/* If the elapsed times of the system clock and of CLOCK_BOOTTIME differ by this many seconds, the
 * system clock was set. */
#define CLOCK_STEP_S	5
/* the year 2020: if the system clock shows an earlier time, it was never set */
#define FIRST_TIME	1577836800
#define SUSPEND_MS	2000
#define LOOK_MS		500	/* delay in ms between two attempts to close an interval */
/* maximum time in ms between two checks whether the interval has ended, because somebody may set
 * the clock */
#define MAX_WAIT_MS	60000
#define RETRY_MS	60000
/* Count the file sizes every LOOK_AT_DISK_MS ms. If the last count took T ms, wait at least
 * LOOK_COST * T ms. */
#define LOOK_AT_DISK_MS	10000
#define LOOK_COST	500
/* if intervals are at least this long, in s, count the file sizes in steps */
#define STEPS_S		60
/* start the next count of the file sizes early if 1/LOOK_SHARE of --max-disk was written since the
 * last one */
#define LOOK_SHARE	32
/* if the disk is full, close a session early if it has at least 1/LEAST_SHARE of --max-disk */
#define LEAST_SHARE	64
/* start a new log file when the log file exceeds 1/LOG_SHARE of --max-disk */
#define LOG_SHARE	128
#define LOG_NAME	"oprofiled.log"

static int64_t now_s(void)
{
	return (int64_t)(op_clock_ms(CLOCK_REALTIME) / 1000);
}

static uint64_t suspended_ms(void)
{
	return op_clock_ms(CLOCK_BOOTTIME) - op_now_ms();
}

/*
 * Return the end of the interval that contains @time. Intervals start at multiples of their length
 * after the local midnight of 1970-01-01, so that, for example, intervals of an hour match the
 * hours of the local clock.
 */
static int64_t next_end(int64_t interval, int64_t time)
{
	int64_t begin, end;

	itv_plan_slot(interval, time, &begin, &end);
	return end;
}

/* Start an interval at @time. @begin_ms: the same moment on CLOCK_BOOTTIME. */
static void begin(struct opd_intervals *i, int64_t time, uint64_t begin_ms)
{
	i->begin = time;
	i->begin_ms = begin_ms;
	i->next = next_end(i->interval, now_s());
	i->first_bytes = 0;
	op_dir_bytes(i->parts->session.current_fd, &i->first_bytes);
	opd_disk_set_part(&i->disk, i->parts->session.current_fd);
}

/* Close the current session as the interval that ended at @end. */
static int close_interval(struct opd_intervals *i, int64_t end)
{
	struct itv_entry entry = { .begin = i->begin, .end = end, .is_session = true };
	struct opd_log *log = &i->parts->log;
	int err;

	if (entry.end <= entry.begin)
		entry.end = entry.begin + 1;
	/* Set the name for the error message: the next call may fail. */
	itv_name(entry.name, &entry);
	err = itv_store_new_name(&entry, i->store_fd);
	if (!err)
		err = opd_close_interval(i->parts, i->store_fd, entry.name);
	if (err)
		opd_log(log, OPD_ERROR, "cannot close the interval %s: %s; new samples are still "
					"added to this interval", entry.name,
			op_strerror(err));
	else
		opd_log(log, OPD_DEBUG, "interval %s closed", entry.name);
	i->closed_bytes += err ? 0 : i->disk.part;
	i->has_tables = i->idle = false;
	/* The clock was set back: the symbol tables of this session are not stored yet. */
	if (entry.end <= i->tables_end)
		i->tables_end = INT64_MIN;
	return err;
}

/* Close the session that an earlier daemon left, before this daemon opens the session's files. */
static int close_earlier(struct opd_intervals *i)
{
	struct opd_parts *p = i->parts;
	struct op_session_about about = { .begun = 0 };
	struct itv_entry entry = { .is_session = true };
	int err = op_session_has_samples(p->session.current_fd);

	if (err <= 0)
		return err;
	op_session_about_read(&about, p->session.current_fd);
	/* Check the times of the session: its metadata may be damaged. */
	entry.begin = about.begun > 0 && about.begun < ITV_MAX_TIME ? about.begun : now_s();
	entry.end = about.ended > entry.begin && about.ended <= ITV_MAX_TIME ? about.ended
									    : entry.begin + 1;
	err = itv_store_new_name(&entry, i->store_fd);
	if (!err)
		err = opd_session_close(&p->session, i->store_fd, entry.name);
	if (!err)
		op_session_stats_release(&p->accounting.stats.earlier);
	return err;
}

/* Add, to @past, the sizes of the files that the daemon can delete or reduce: closed intervals, the
 * session of an earlier daemon, and directories that are being deleted. Return 0 or a negative
 * errno. */
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

/* Start to enforce --max-disk. Return 0, or a negative errno with a message in @error. */
static int limit_disk(struct opd_intervals *i, struct op_reason *error)
{
	const struct opd_session *s = &i->parts->session;
	struct op_dir_sum past = { .bytes = 0 };
	uint64_t others;
	int err = opd_disk_init(&i->disk, s->dir_fd, i->max_disk, opd_interval_work_make_room, i);

	if (err)
		goto cannot_count;
	opd_disk_watch(&i->disk, i->store_fd);
	if (opd_disk_left(&i->disk) < opd_interval_work_reserve(i))
		opd_interval_work_make_room(i, opd_interval_work_reserve(i));
	err = opd_disk_count(&i->disk);
	if (!err)
		err = add_past(i, &past);
	others = i->disk.counted > past.bytes ? i->disk.counted - past.bytes : 0;
	op_dir_sum_release(&past);
	if (err)
		goto cannot_count;
	/* Grant all requests for disk space until the first opd_intervals_turn(): an earlier daemon
	 * may have had a higher limit, so the session directory may be too large. */
	i->disk.is_deleting = opd_disk_left(&i->disk) < ITV_LEAST_OTHERS;
	i->disk.is_working = true;
	if (!i->disk.is_deleting || others + ITV_LEAST_OTHERS <= i->max_disk)
		return 0;
	return op_fail(error, -ENOSPC,
		       "--max-disk=%" PRIu64 "M is too small: %s has %" PRIu64
		       " MB of files other than intervals: use --max-disk=%" PRIu64
		       "M or more, or delete saved sessions in %s",
		       i->max_disk >> 20, s->paths.dir, others >> 20,
		       ((others + ITV_LEAST_OTHERS) >> 20) + 1, s->paths.samples);

cannot_count:
	return op_fail(error, err, "cannot measure the size of %s for --max-disk: "
				   "%s", s->paths.dir, op_strerror(err));
}

/* Initialize the clock that measures ages of intervals. Derive its time from the newest interval,
 * because the system clock may have been set to a wrong time since the last daemon. */
static int begin_age(struct opd_intervals *i)
{
	struct itv_list list;
	int err = itv_store_list(&list, i->store_fd);

	if (err)
		return err;
	itv_age_init(&i->age, itv_age_of_list(&list, now_s()), op_clock_ms(CLOCK_BOOTTIME));
	itv_list_release(&list);
	return 0;
}

int opd_intervals_open(struct opd_intervals *i, struct opd_parts *parts, struct op_reason *error)
{
	const struct opd_config *cfg = parts->cfg;
	int err, made;

	*i = (struct opd_intervals){ .parts = parts, .store_fd = -1 };
	if (!cfg->intervals.interval)
		return 0;
	i->interval = cfg->intervals.interval;
	i->since = now_s();
	i->keep = cfg->intervals.keep;
	i->max_disk = cfg->intervals.max_bytes;
	i->program = opd_intervals_program();
	if (!i->program)
		opd_log(&parts->log, OPD_WARN,
			"the program opintervals is missing, so old intervals are neither packed "
			"nor deleted: install oprofile again");
	i->store_fd = opd_open_dir_at(parts->session.samples_fd, ITV_STORE_DIR, 0755, &made);
	err = i->store_fd < 0 ? i->store_fd : 0;
	if (!err) {
		opd_interval_work_clean(i);
		err = begin_age(i);
	}
	if (!err) {
		err = limit_disk(i, error);
		if (err)
			return err;
		err = close_earlier(i);
	}
	/* If intervals are short, count the file sizes in one step: on a busy machine, a count in
	 * steps may take longer than an interval. */
	i->disk.counts_at_once = i->interval < STEPS_S;
	begin(i, now_s(), op_clock_ms(CLOCK_BOOTTIME));
	i->suspended_ms = suspended_ms();
	i->paused_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);
	return err ? op_fail(error, err, "cannot open the intervals in %s: %s",
			     parts->session.paths.samples, op_strerror(err)) : 0;
}

void opd_intervals_release(struct opd_intervals *i)
{
	opd_interval_work_end(i);
	opd_disk_release(&i->disk);
	free(i->program);
	if (i->interval && i->store_fd >= 0)
		close(i->store_fd);
	i->program = NULL;
	i->interval = 0;
}

/* Record the times without samples: while the machine was suspended, or sampling was stopped. */
static void note_gaps(struct opd_intervals *i)
{
	int64_t now_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);
	uint64_t suspended = suspended_ms();

	if (suspended > i->suspended_ms + SUSPEND_MS)
		opd_intervals_note_gap(i,
				       now_ns - (int64_t)(suspended - i->suspended_ms) * 1000000,
				       now_ns, "suspended");
	i->suspended_ms = suspended;
	if (i->parts->sampling.running && i->paused_ns) {
		opd_intervals_note_gap(i, i->paused_ns, now_ns, "stopped");
		i->paused_ns = 0;
	} else if (!i->parts->sampling.running && !i->paused_ns) {
		i->paused_ns = now_ns;
	}
}

/* Close the current interval if its end has come or the system clock was set. */
static void close_in_time(struct opd_intervals *i)
{
	/* Read the clocks once: closing an interval may take seconds on a busy machine. */
	const uint64_t now_ms = op_clock_ms(CLOCK_BOOTTIME), lasted_ms = now_ms - i->begin_ms;
	int64_t now = now_s(), end = i->begin + (int64_t)(lasted_ms / 1000);
	int64_t step = now - end;
	bool is_changed = step >= CLOCK_STEP_S || step <= -CLOCK_STEP_S;
	int err;

	if (now < i->next && !is_changed)
		return;
	if (op_now_ms() < i->retry_close_ms)
		return;
	/* While sampling is stopped, do not close the session if it has no samples. */
	if (i->paused_ns && !op_session_has_samples(i->parts->session.current_fd)) {
		i->next = next_end(i->interval, now);
		if (is_changed) {
			i->since += step;
			begin(i, now, now_ms);
		}
		return;
	}
	if (i->paused_ns) {
		int64_t now_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);

		opd_intervals_note_gap(i, i->paused_ns, now_ns, "stopped");
		i->paused_ns = now_ns;
	}
	if (is_changed && i->begin < FIRST_TIME && now >= FIRST_TIME) {
		/* The system clock was not yet set when the interval began: correct the start time
		 * of the interval. */
		i->begin = now - (int64_t)(lasted_ms / 1000);
		end = now;
	}
	err = close_interval(i, is_changed ? end : now);
	if (err) {
		i->retry_close_ms = op_now_ms() + RETRY_MS;
		return;
	}
	if (is_changed) {
		i->since += step;
		opd_log(&i->parts->log, OPD_WARN,
			"the clock was changed by %" PRId64 " s: a new interval begins", step);
	}
	begin(i, now, now_ms);
}

/* Start a new log file if the current one is too long. */
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

/* Start a count of the file sizes if it is due, or if much data was written since the last
 * count. */
static void begin_size_count(struct opd_intervals *i)
{
	uint64_t now = op_now_ms();

	if (i->is_looking)
		return;
	if (now < i->look_ms &&
	    (now < i->disk.count_ms ||
	     (!i->disk.is_refused && i->disk.granted < i->max_disk / LOOK_SHARE)))
		return;
	limit_log(i);
	opd_disk_set_part(&i->disk, i->parts->session.current_fd);
	opd_disk_want_count(&i->disk);
	i->is_looking = true;
}

/*
 * After a count of the file sizes, end the interval early if the current session has grown too
 * much, or if the disk is full. Start the maintenance if the session directory is too large. If the
 * count failed, do not end the interval early: requests for disk space beyond the limit are refused
 * anyway.
 */
static void end_size_count(struct opd_intervals *i)
{
	const bool is_refused = i->disk.is_refused;
	uint64_t grown = opd_intervals_grown(i), wait = i->disk.took_ms * LOOK_COST;

	if (!i->is_looking || i->disk.is_wanted)
		return;
	i->is_looking = false;
	if ((grown > i->max_disk / OPD_INTERVALS_GROWTH ||
	     (is_refused && grown > i->max_disk / LEAST_SHARE)) && i->next > now_s()) {
		opd_log(&i->parts->log, OPD_INFO,
			"the session has grown by %" PRIu64 " MB: the current interval ends early",
			grown >> 20);
		i->next = now_s();
	}
	if (is_refused || opd_disk_left(&i->disk) < opd_interval_work_reserve(i))
		i->idle = false;
	i->disk.is_refused = false;
	i->look_ms = op_now_ms() + (wait > LOOK_AT_DISK_MS ? wait : LOOK_AT_DISK_MS);
}

void opd_intervals_set_interval(struct opd_intervals *i, int64_t seconds)
{
	if (seconds != i->interval)
		i->since = now_s();
	i->interval = seconds;
	i->disk.counts_at_once = seconds < STEPS_S;
	i->next = next_end(i->interval, i->begin);
}

void opd_intervals_set_keep(struct opd_intervals *i, int64_t seconds)
{
	i->keep = seconds;
	i->idle = false;
}

uint64_t opd_intervals_due(const struct opd_intervals *i)
{
	uint64_t now = op_now_ms(), due, work = opd_interval_work_due(i);
	int64_t left = i->next - now_s();

	if (!i->interval)
		return UINT64_MAX;
	if (i->disk.is_wanted)
		return now;
	due = now + (left <= 0 ? LOOK_MS : left * 1000 < MAX_WAIT_MS ? (uint64_t)left * 1000
								    : MAX_WAIT_MS);
	if (!i->child && i->look_ms < due)
		due = i->look_ms;
	return work < due ? work : due;
}

void opd_intervals_turn(struct opd_intervals *i)
{
	if (!i->interval || i->store_fd < 0 || i->parts->finished)
		return;
	i->disk.is_working = i->disk.is_deleting = false;
	note_gaps(i);
	begin_size_count(i);
	opd_disk_step(&i->disk);
	end_size_count(i);
	close_in_time(i);
	opd_interval_work_turn(i);
}
