// SPDX-License-Identifier: GPL-2.0-or-later
/* interval_work.c -- maintenance of closed intervals: packing, merging and deletion. */
#include "config.h"
#include "daemon/interval_work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
#include "daemon/intervals.h"
#include "daemon/verbs.h"
#include "intervals/plan.h"
#include "intervals/store.h"
#include "intervals/work.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/session/paths.h"

#define PROGRAM		"opintervals"
#define NICE		10
/* delay in ms between two checks whether the child process or a deletion has ended */
#define LOOK_MS		500
/* maximum number of checks, one after the other, whether a deletion has ended */
#define MAX_LOOKS	240
/* minimum disk space in bytes that a child process needs */
#define LEAST_ROOM	(64u << 10)
#define TABLES_SHARE	4	/* symbol tables may use 1/TABLES_SHARE of --max-disk */
#define MAX_DELETIONS	64	/* maximum number of deletions per iteration of the main loop */

/* Return the current time, on the clock that determines the ages of intervals. */
static int64_t age_now(struct opd_intervals *i)
{
	const struct itv_moment now = {
		(int64_t)(op_clock_ms(CLOCK_REALTIME) / 1000), op_clock_ms(CLOCK_BOOTTIME),
	};

	return itv_age_now(&i->age, &now);
}

uint64_t opd_interval_work_reserve(const struct opd_intervals *i)
{
	return i->max_disk / OPD_INTERVALS_GROWTH + i->max_disk / OPD_DISK_WORK +
	       i->max_disk / OPD_DISK_OTHERS;
}

void opd_interval_work_clean(struct opd_intervals *i)
{
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(i->store_fd, ".", &dir))
		return;
	while ((d = op_next_entry(dir)))
		if (!strncmp(d->d_name, ITV_NEW_PREFIX, strlen(ITV_NEW_PREFIX)))
			unlinkat(i->store_fd, d->d_name, 0);
	closedir(dir);
	op_delete_unfinished(i->store_fd);
}

static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

/* Delete the interval file or the closed session @entry. */
static int delete_entry(struct opd_intervals *i, const struct itv_entry *entry)
{
	int err = 0;

	if (entry->is_session)
		err = opd_session_delete(&i->parts->session, i->store_fd, entry->name);
	else if (unlinkat(i->store_fd, entry->name, 0) && errno != ENOENT)
		err = -errno;
	if (!err)
		opd_disk_changed(&i->disk);
	return err;
}

/* Delete an interval because it is too old or its disk space is needed, and record the deletion in
 * the directory of intervals. If the disk is too full for the record, delete the interval first. */
static int delete_for_good(struct opd_intervals *i, const struct itv_entry *entry)
{
	const bool was_deleting = i->disk.is_deleting;
	const bool is_new = entry->end > age_now(i) - ITV_LAST_DAY;
	const bool by_keep = entry->end <= age_now(i) - i->keep;
	int err, full;

	i->disk.is_deleting = true;
	err = full = itv_store_note_removed(i->store_fd, entry->end, by_keep);
	if (!err || is_full(err))
		err = delete_entry(i, entry);
	/* Record the deletion after the interval was deleted: without the record, reports would
	 * claim that no daemon ran at that time. */
	if (!err && full)
		itv_store_note_removed(i->store_fd, entry->end, by_keep);
	i->disk.is_deleting = was_deleting;
	if (err && !i->has_warned_old)
		opd_log(&i->parts->log, OPD_WARN,
			"cannot delete the interval %s or record its deletion: %s", entry->name,
			op_strerror(err));
	else if (!err)
		opd_log(&i->parts->log, is_new ? OPD_WARN : OPD_DEBUG, "interval %s deleted%s",
			entry->name,
			is_new ? ", although it is younger than a day, because --max-disk is "
				 "reached" : "");
	i->has_warned_old = err != 0;
	return err;
}

/* Delete the oldest intervals that end before @end until at least @bytes are free. Return the
 * number of freed bytes, or 0 if no interval was deleted. */
static uint64_t delete_oldest(struct opd_intervals *i, int64_t end, uint64_t bytes)
{
	struct itv_list list = { .nr = 0 };
	uint64_t freed = 0;
	int err = itv_store_list_old(&list, i->store_fd, end);

	for (size_t n = 0; n < list.nr && !err && freed < bytes; n++) {
		err = delete_for_good(i, &list.entries[n]);
		if (!err)
			freed += list.entries[n].bytes ? list.entries[n].bytes : 1;
	}
	itv_list_release(&list);
	return freed;
}

static uint64_t delete_old(struct opd_intervals *i, uint64_t bytes)
{
	return delete_oldest(i, age_now(i) - ITV_LAST_DAY, bytes);
}

void opd_interval_work_make_room(void *arg, uint64_t bytes)
{
	delete_old(arg, bytes);
}

/* Clear the list of interval files and sessions that the child process was started for. */
static void forget_tried(struct opd_intervals *i)
{
	free(i->tried);
	i->tried = NULL;
	i->nr_tried = 0;
}

void opd_interval_work_end(struct opd_intervals *i)
{
	if (i->child) {
		kill(i->child, SIGKILL);
		while (waitpid(i->child, NULL, 0) < 0 && errno == EINTR)
			;
		i->child = 0;
		opd_interval_work_clean(i);
		opd_disk_end_reserve(&i->disk);
	}
	forget_tried(i);
	opd_retries_release(&i->retries);
}

/* Delete each interval file or session whose samples are also in another interval file. If a
 * deletion fails, reports ignore the file or session until a later call deletes it. */
static void delete_replaced(struct opd_intervals *i, const struct itv_list *list)
{
	int err, failed = 0;

	for (size_t n = 0; n < list->nr_replaced && n < MAX_DELETIONS; n++) {
		err = delete_entry(i, &list->replaced[n]);
		if (err && !failed && !i->has_warned_replaced)
			opd_log(&i->parts->log, OPD_WARN,
				"cannot delete the interval %s, whose samples another interval "
				"contains: %s",
				list->replaced[n].name, op_strerror(err));
		failed = failed ? failed : err;
	}
	i->has_warned_replaced = failed != 0;
}

/* Return true if a thread is still deleting directories: until the end of the thread, samples/
 * contains names that mark directories for deletion. */
static bool is_deleting(const struct opd_intervals *i)
{
	struct dirent *d;
	bool found = false;
	DIR *dir;

	if (op_open_dir(i->parts->session.samples_fd, ".", &dir))
		return false;
	while (!found && (d = op_next_entry(dir)))
		found = !strncmp(d->d_name, OP_DELETED_PREFIX, strlen(OP_DELETED_PREFIX));
	closedir(dir);
	return found;
}

/*
 * Set *@ret to the disk space in bytes that a child process may use to make an interval of about
 * @max_bytes: the fraction OPD_DISK_WORK of --max-disk, or twice @max_bytes if this is more, or all
 * free space if the last child process had too little space; but never more than the free space.
 * Return 0; -EAGAIN if a deletion in progress will free space; or -ENOSPC.
 */
static int room_to_write(struct opd_intervals *i, uint64_t max_bytes, uint64_t *ret)
{
	uint64_t room = i->max_disk / OPD_DISK_WORK, left = opd_disk_left(&i->disk);

	if (i->is_short)
		room = i->max_disk;
	else if (2 * max_bytes > room)
		room = 2 * max_bytes;
	if (room > left && i->nr_looks < MAX_LOOKS && is_deleting(i)) {
		i->nr_looks++;
		return -EAGAIN;
	}
	i->nr_looks = 0;
	*ret = room < left ? room : left;
	return *ret < LEAST_ROOM ? -ENOSPC : 0;
}

static int spawn(struct opd_intervals *i, char **argv)
{
	static char *const env[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

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
	if (err)
		i->child = 0;
	else
		setpriority(PRIO_PROCESS, (id_t)i->child, NICE);
	return err;
}

/* Start opintervals in the directory of intervals, with disk space for an interval of about
 * @max_bytes. The function sets the first two elements of @argv. */
static int start_child(struct opd_intervals *i, char **argv, uint64_t max_bytes)
{
	char room_text[48];
	uint64_t room;
	int err = room_to_write(i, max_bytes, &room);

	if (!err)
		err = opd_disk_reserve(&i->disk, room);
	if (err)
		return err;
	snprintf(room_text, sizeof(room_text), "--room=%" PRIu64 ",%d", room, (int)getpid());
	argv[0] = (char *)PROGRAM;
	argv[1] = room_text;
	err = spawn(i, argv);
	if (err)
		opd_disk_end_reserve(&i->disk);
	return err;
}

/* Store the list of the @nr interval files or sessions that the child process works on. */
static int set_tried(struct opd_intervals *i, const struct itv_entry *const *entries, size_t nr)
{
	forget_tried(i);
	i->tried = calloc(nr + 1, sizeof(*i->tried));
	if (!i->tried)
		return -ENOMEM;
	for (i->nr_tried = 0; i->nr_tried < nr; i->nr_tried++)
		i->tried[i->nr_tried] = *entries[i->nr_tried];
	return 0;
}

/*
 * Return the maximum total size in bytes of all interval files: --max-disk minus the size of all
 * other files in the session directory, minus opd_interval_work_reserve(). Do not subtract the
 * sessions that will be packed, nor the growth of the current session, which the reserve includes.
 * If the other files leave less than twice the reserve, return half of the space that they leave.
 */
static uint64_t room_for_intervals(const struct opd_intervals *i, const struct itv_list *list)
{
	const uint64_t reserve = opd_interval_work_reserve(i);
	const uint64_t growth = i->max_disk / OPD_INTERVALS_GROWTH;
	uint64_t passing = i->closed_bytes, others, left, grown = opd_intervals_grown(i);

	passing += grown < growth ? grown : growth;
	for (size_t n = 0; n < list->nr; n++)
		passing += list->entries[n].bytes;
	others = i->disk.counted > passing ? i->disk.counted - passing : 0;
	left = others < i->max_disk ? i->max_disk - others : 0;
	return left > 2 * reserve ? left - reserve : left / 2;
}

static int start_pack(struct opd_intervals *i, const struct itv_plan_config *config,
		      const struct itv_entry *session)
{
	struct itv_step steps[ITV_NR_STEPS];
	char max[24];
	char *argv[] = { NULL, NULL, (char *)"pack", (char *)session->name, max, NULL };
	int err = set_tried(i, &session, 1);

	itv_plan_steps(steps, config);
	snprintf(max, sizeof(max), "%" PRIu64, steps[0].max_bytes);
	return err ? err : start_child(i, argv, steps[0].max_bytes);
}

static int start_merge(struct opd_intervals *i, const struct itv_plan *plan)
{
	char **argv = calloc(plan->nr_parts + 6, sizeof(*argv)), step[8], max[24];
	int err = set_tried(i, plan->parts, plan->nr_parts);

	if (!argv || err) {
		free(argv);
		return -ENOMEM;
	}
	snprintf(step, sizeof(step), "%u", plan->result.step);
	snprintf(max, sizeof(max), "%" PRIu64, plan->max_bytes);
	argv[2] = (char *)(plan->kind == ITV_PLAN_SHRINK ? "shrink" : "merge");
	argv[3] = step;
	argv[4] = max;
	for (size_t n = 0; n < plan->nr_parts; n++)
		argv[5 + n] = (char *)plan->parts[n]->name;
	err = start_child(i, argv, plan->max_bytes);
	free(argv);
	return err;
}

/* Return the latest end time of a closed session, or INT64_MIN if no closed session exists. */
static int64_t last_end(const struct itv_list *list)
{
	int64_t end = INT64_MIN;

	for (size_t n = 0; n < list->nr; n++)
		if (list->entries[n].is_session && list->entries[n].end > end)
			end = list->entries[n].end;
	return end;
}

/* Start a child process that stores symbol tables: those of the intervals, and those of closed
 * sessions up to time @end. Limit the tables to a fraction of --max-disk. Tables that do not fit
 * are added later. */
static int start_tables(struct opd_intervals *i, int64_t end)
{
	char max[24];
	char *argv[] = { NULL, NULL, (char *)"tables", max, NULL };
	int err;

	forget_tried(i);
	snprintf(max, sizeof(max), "%" PRIu64, i->max_disk / TABLES_SHARE);
	err = start_child(i, argv, 0);
	if (err != -EAGAIN) {
		i->has_tables = true;
		i->tables_end = end;
	}
	return is_full(err) ? 0 : err;
}

static int delete_parts(struct opd_intervals *i, const struct itv_plan *plan)
{
	int err = 0;

	i->is_stuck = false;
	/* The next call of work() deletes the rest of the intervals that @plan lists. */
	for (size_t n = 0; n < plan->nr_parts && n < MAX_DELETIONS && !err; n++)
		err = delete_for_good(i, plan->parts[n]);
	return err;
}

static int carry_out(struct opd_intervals *i, const struct itv_plan *plan)
{
	switch (plan->kind) {
	case ITV_PLAN_MERGE:
	case ITV_PLAN_SHRINK:
		return start_merge(i, plan);
	case ITV_PLAN_DELETE:
		return delete_parts(i, plan);
	default:
		if (!i->has_tables)
			return start_tables(i, i->tables_end);
		i->idle = true;
		i->wake_ms = opd_retries_due(&i->retries, op_now_ms());
		return 0;
	}
}

/* Return the first session whose packing need not wait for another attempt. Mark intervals that
 * must wait for another attempt as bad, so that they are not merged now. */
static const struct itv_entry *choose_session(struct opd_intervals *i, struct itv_list *list)
{
	const struct itv_entry *session = NULL;
	uint64_t now = op_now_ms();
	bool has_sessions = false;

	for (size_t n = 0; n < list->nr; n++) {
		struct itv_entry *entry = &list->entries[n];
		bool must_wait = opd_retries_must_wait(&i->retries, entry->name, now);

		has_sessions |= entry->is_session && !must_wait;
		if (!entry->is_session)
			entry->is_bad |= must_wait;
		else if (!session && !must_wait)
			session = entry;
	}
	opd_retries_forget(&i->retries);
	if (!has_sessions)
		i->closed_bytes = 0;
	return session;
}

/* Do the next step of the maintenance of intervals, or start a child process that does it. Return
 * 0; -EAGAIN if the step must be done later; or another negative errno. */
static int work(struct opd_intervals *i)
{
	struct itv_list list;
	struct itv_plan plan = { .nr_parts = 0 };
	struct itv_plan_config config = {
		.interval = i->interval, .keep = i->keep, .since = i->since,
	};
	const struct itv_entry *session;
	int err = itv_store_list_writer(&list, i->store_fd);

	if (err)
		return err;
	/* After deletions, count the file sizes again: the last count includes the deleted
	 * files. */
	delete_replaced(i, &list);
	err = opd_disk_use_count(&i->disk);
	if (err) {
		itv_list_release(&list);
		return err;
	}
	session = choose_session(i, &list);
	config.last_day_is_stuck = i->is_stuck;
	config.max_bytes = room_for_intervals(i, &list);
	err = itv_plan_next(&plan, &config, &list, age_now(i));
	/* Packing needs disk space, so deletions come before it. The packing process can read
	 * symbol tables only in the directory of intervals: start_tables() stores them there
	 * first. */
	if (!err && session && plan.kind != ITV_PLAN_DELETE && session->end > i->tables_end)
		err = start_tables(i, last_end(&list));
	else if (!err && session && plan.kind != ITV_PLAN_DELETE)
		err = start_pack(i, &config, session);
	else if (!err)
		err = carry_out(i, &plan);
	if (!err && i->idle)
		itv_store_kernels_keep(&list, i->store_fd);
	itv_plan_release(&plan);
	itv_list_release(&list);
	return err;
}

/* Log a failure of the maintenance that affects all sessions and intervals, and schedule another
 * attempt. */
static void failed(struct opd_intervals *i, const char *cause)
{
	if (!i->failures)
		opd_log(&i->parts->log, OPD_ERROR,
			"cannot pack or merge intervals: %s; the intervals are unchanged, and the "
			"daemon will try again", cause);
	i->failures++;
	i->retry_ms = op_now_ms() + opd_retry_delay_ms(i->failures);
}

/* The child process could not process its session or interval files: schedule another attempt for
 * them, and continue with other ones. */
static void failed_entries(struct opd_intervals *i, const char *cause)
{
	const bool is_pack = i->nr_tried && i->tried[0].is_session;
	int times = 0;

	for (size_t n = 0; n < i->nr_tried && times >= 0; n++)
		times = opd_retries_add(&i->retries, i->tried[n].name, op_now_ms());
	if (times < 0)
		failed(i, op_strerror(times));
	else if (!i->nr_tried)
		opd_log(&i->parts->log, OPD_WARN,
			"cannot store the symbol tables of intervals: %s; reports may show "
			"addresses without names", cause);
	else
		opd_log(&i->parts->log, times == 1 ? OPD_ERROR : OPD_DEBUG,
			"cannot %s the interval %s: %s; its samples are unchanged, and the daemon "
			"will try again", is_pack ? "pack" : "merge", i->tried[0].name, cause);
}

/* Delete a session that cannot be packed, because it is too large for --max-disk. Record that its
 * time has no samples. */
static void delete_session(struct opd_intervals *i, const struct itv_entry *session)
{
	opd_log(&i->parts->log, OPD_ERROR,
		"the interval %s is too large for --max-disk: its samples are deleted",
		session->name);
	opd_intervals_note_gap(i, session->begin * 1000000000, session->end * 1000000000,
			       "too large for --max-disk");
	delete_entry(i, session);
}

/* The child process had too little disk space, although it was allowed to use all free space:
 * delete the oldest interval. If no interval exists, delete the session. */
static void make_room_for_tried(struct opd_intervals *i)
{
	if (delete_oldest(i, INT64_MAX, 1))
		return;
	i->is_short = false;
	if (!i->nr_tried)
		failed(i, op_strerror(-ENOSPC));
	else if (i->tried[0].is_session)
		delete_session(i, &i->tried[0]);
	else
		failed_entries(i, "--max-disk is reached");
}

/* Return true if the child process has marked one of its interval files as bad. */
static bool is_marked(const struct opd_intervals *i)
{
	struct stat st;

	for (size_t n = 0; n < i->nr_tried; n++)
		if (!i->tried[n].is_session &&
		    !fstatat(i->store_fd, i->tried[n].name, &st, AT_SYMLINK_NOFOLLOW) &&
		    (st.st_mode & ITV_BAD_MODE))
			return true;
	return false;
}

static void handle_bad(struct opd_intervals *i)
{
	if (!is_marked(i)) {
		failed_entries(i, "a file is damaged or of a newer version, or a count is too high");
		return;
	}
	opd_log(&i->parts->log, OPD_WARN,
		"cannot merge an interval file: it is damaged, of a newer version, or a count is "
		"too high; " PROGRAM " check %s/" ITV_STORE_DIR
		"/*.opi prints damaged files", i->parts->session.paths.samples);
}

static void succeeded(struct opd_intervals *i)
{
	for (size_t n = 0; n < i->nr_tried; n++)
		opd_retries_remove(&i->retries, i->tried[n].name);
	i->failures = 0;
	i->is_short = false;
}

static void handle_exit(struct opd_intervals *i, int status)
{
	switch (status) {
	case 0:
		succeeded(i);
		break;
	case ITV_EXIT_SHORT:
		if (i->is_short)
			make_room_for_tried(i);
		else
			i->is_short = true;
		break;
	case ITV_EXIT_STUCK:
		i->is_stuck = true;
		break;
	case ITV_EXIT_BAD:
		handle_bad(i);
		break;
	case ITV_EXIT_FULL:
		/* Another program has filled the disk: delete an old interval. */
		delete_old(i, 1);
		failed(i, op_strerror(-ENOSPC));
		break;
	default:
		failed_entries(i, status > ITV_EXIT_ERRNO ? op_strerror(ITV_EXIT_ERRNO - status) :
							    PROGRAM " failed");
	}
}

/* Reap the child process if it has ended, and handle its exit status. Return true if no child
 * process runs. */
static bool is_reaped(struct opd_intervals *i)
{
	char cause[80];
	int status;

	if (!i->child)
		return true;
	if (!waitpid(i->child, &status, WNOHANG))
		return false;
	i->child = 0;
	opd_disk_end_reserve(&i->disk);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		opd_interval_work_clean(i);
	if (WIFEXITED(status)) {
		handle_exit(i, WEXITSTATUS(status));
	} else {
		snprintf(cause, sizeof(cause), PROGRAM " was killed by signal %d",
			 WTERMSIG(status));
		failed_entries(i, cause);
	}
	forget_tried(i);
	return true;
}

uint64_t opd_interval_work_due(const struct opd_intervals *i)
{
	if (i->child)
		return op_now_ms() + LOOK_MS;
	if (!i->program)
		return UINT64_MAX;
	return i->idle ? i->wake_ms : i->retry_ms;
}

void opd_interval_work_turn(struct opd_intervals *i)
{
	uint64_t now = op_now_ms();
	int err;

	if (i->idle && now >= i->wake_ms)
		i->idle = false;
	if (!is_reaped(i) || i->idle || !i->program || now < i->retry_ms || i->disk.is_wanted)
		return;
	err = work(i);
	if (err == -EAGAIN)
		i->retry_ms = i->disk.is_wanted ? now : now + LOOK_MS;
	else if (err == -ENOSPC && !delete_old(i, opd_interval_work_reserve(i)))
		make_room_for_tried(i);
	else if (err && err != -ENOSPC)
		failed(i, op_strerror(err));
	if (!i->child)
		forget_tried(i);
}
