// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c -- sends the closed intervals of a session directory, the oldest first. */
#include "config.h"
#include "utils/opexport/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/range.h"
#include "libop/base/clock.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/base/plural.h"
#include "libop/base/time_words.h"
#include "pp/session/where.h"
#include "utils/opexport/choose.h"
#include "utils/opexport/cursor.h"
#include "utils/opexport/host.h"
#include "utils/opexport/otlp_send.h"
#include "utils/opexport/quiet.h"
#include "utils/opexport/send.h"

#define FIRST_WAIT	5	/* seconds until the first repetition after a failure */
#define LONGEST_WAIT	300
#define LONGEST_PAUSE	3600	/* longest time that a server may name in Retry-After */
#define MESSAGE_MS	60000	/* least time between two messages about failures */
#define MAX_STALE	10	/* number of looks at a store that changes */
#define MAX_OPENS	3	/* number of attempts to read an interval */
/* The names of sent intervals are read from this number of seconds before the oldest original
 * interval on. */
#define NAMES_BEFORE	3600

/* Set by the handler of SIGTERM and SIGINT. */
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* The state of an export. */
struct run {
	const struct export_options *options;
	struct op_session_paths paths;
	struct export_sender sender;
	struct export_progress progress;
	struct export_cursor cursor;
	struct export_quiet quiet;
	struct pp_log *log;		/* .quiet */
	int64_t since, until;		/* send only intervals in this time */
	int64_t settles;	/* seconds after the end of an interval until it is sent */
	/* gaps for the next row of table sessions */
	struct export_gap *gaps;
	size_t nr_gaps;
	int lock;			/* the directory of the samples, locked; -1: not open */
	int nr_stale;			/* number of looks in succession that found a change */
	int nr_opens;			/* number of failed attempts to read an interval */
	char target[2300];		/* URL and database, for the cursor */
	size_t nr_older;	/* number of intervals that are older than those of the server */
	/* numbers of intervals that were sent, and that the server had; their sums */
	uint64_t nr_sent, nr_there, samples, rows, thinned, bytes;
	/* number of profiles that the collector did not store; number of them that was reported;
	 * earliest time of the next report */
	uint64_t nr_rejected, nr_reported, report_ms;
};

/* Return whether r->lock is the directory of the samples, which may have been replaced. */
static bool is_locked(const struct run *r)
{
	struct stat ours, now;

	return r->lock >= 0 && !fstat(r->lock, &ours) && !stat(r->paths.samples, &now) &&
	       ours.st_dev == now.st_dev && ours.st_ino == now.st_ino;
}

/* Lock the directory of the samples: two exports of the same intervals at the same time could send
 * one of them twice. Without the directory, nothing is locked or sent. */
static int lock(struct run *r)
{
	if (is_locked(r))
		return 0;
	if (r->lock >= 0)
		close(r->lock);
	r->lock = open(r->paths.samples, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->lock >= 0 && flock(r->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(r->lock);
		r->lock = -1;
		return op_fail(&r->log->error, -EBUSY, "another opexport sends the intervals of %s: wait "
			       "until it ends, or stop oprofile-export", r->paths.dir);
	}
	/* another process may have sent a part of any interval */
	r->sender.unsure_until = INT64_MAX;
	return 0;
}

static int run_open(struct run *r, const struct export_options *options, struct pp_log *log)
{
	int err;

	*r = (struct run){
		.options = options, .cursor = { .dir = -1 }, .lock = -1,
		.progress = { .until = INT64_MIN, .names_since = INT64_MAX },
		.since = options->since, .until = options->until,
		.settles = EXPORT_SETTLES,
		.sender = {
			.ops = options->otlp ? &export_collector : &export_clickhouse,
			.database = options->target.database, .max_rows = options->rows,
			.unsure_until = INT64_MAX,
		},
	};
	export_quiet_init(&r->quiet, log);
	r->log = &r->quiet.log;
	snprintf(r->target, sizeof(r->target), "%s%s", options->target.url,
		 options->target.database ? options->target.database : "");
	err = pp_find_session_dir(&r->paths, options->session_dir, false, r->log);
	if (!err)
		err = export_host_read(&r->sender.host, &r->log->error);
	if (!err && options->cursor)
		err = export_cursor_open(&r->cursor, options->cursor, &r->log->error);
	if (!err)
		err = fleet_http_create(&r->sender.http, &options->target, &options->http,
					&r->log->error);
	if (!err)
		fleet_http_stop_on(r->sender.http, &stopped);
	return err;
}

static void run_close(struct run *r)
{
	fleet_http_destroy(r->sender.http);
	free(r->sender.known.ids);
	free(r->sender.tried);
	free(r->sender.answered.hashes);
	free(r->gaps);
	export_progress_release(&r->progress);
	export_cursor_close(&r->cursor);
	if (r->lock >= 0)
		close(r->lock);
	op_session_paths_release(&r->paths);
	r->quiet.to->error = r->log->error;
}

/* Remove the entries that are not in the wanted time. */
static void filter(struct itv_list *list, const struct run *r)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (list->entries[i].begin >= r->since && list->entries[i].end <= r->until)
			list->entries[nr++] = list->entries[i];
	list->nr = nr;
}

static int list_store(struct itv_list *ret, struct run *r)
{
	int err = export_list_store(ret, &r->paths);

	if (err == -ENOENT)
		return op_fail(&r->log->error, err, "%s has no intervals: opcontrol --interval=10m "
			       "--start makes them", r->paths.dir);
	if (err)
		return op_fail(&r->log->error, err, "cannot read the intervals of %s: %s%s",
			       r->paths.dir, strerror(-err), err == -EACCES ?
			       ": the user must be in the group of the session" : "");
	filter(ret, r);
	return 0;
}

/* Read which intervals the server has. */
static int read_progress(struct run *r)
{
	struct export_sender *s = &r->sender;
	struct itv_list list = { .entries = NULL };
	struct export_progress progress;
	/* the user asks for old intervals, also those before the first one that the server has */
	const bool is_asked = r->since != INT64_MIN || r->until != INT64_MAX;
	const bool is_once = !r->options->service;
	int64_t since = INT64_MAX, last = INT64_MIN;
	int err = list_store(&list, r);

	if (err)
		return err;
	for (size_t i = 0; i < list.nr; i++) {
		const struct itv_entry *e = &list.entries[i];

		if ((is_once || !e->step) && e->begin < since)
			since = e->begin;
		last = e->end > last ? e->end : last;
	}
	if (!is_once && s->unsure_until == INT64_MAX)
		s->unsure_until = last;
	since = since == INT64_MAX ? (int64_t)time(NULL) : since;
	if (s->ops->progress)
		err = s->ops->progress(&progress, s, since - NAMES_BEFORE, &r->log->error);
	else
		/* this process knows the names that it has sent */
		progress = r->progress;
	if (!err && is_asked)
		progress.names_since = INT64_MIN;
	if (!err && is_once && s->ops->progress)
		r->nr_older = export_count_older(&list, &progress);
	itv_list_release(&list);
	if (err)
		return err;
	if (s->ops->progress)
		export_progress_release(&r->progress);
	r->progress = progress;
	return 0;
}

/* Check the server, and read its state. */
static int connect_server(struct run *r)
{
	struct export_sender *s = &r->sender;
	int64_t until;
	/* an export to a collector locks its cursor, and may run beside an export to a database */
	int err = r->options->otlp ? 0 : lock(r);

	if (!err)
		err = s->ops->connect(s, r->log);
	if (!err)
		err = read_progress(r);
	if (err)
		return err;
	until = export_cursor_read(&r->cursor, r->target, s->host.name);
	if (until > r->progress.until)
		r->progress.until = until;
	/* the tables may be new */
	free(s->known.ids);
	s->known = (struct export_sent_stacks){ .ids = NULL };
	return 0;
}

static int is_merged(void *arg, const struct itv_entry *entry)
{
	struct run *r = arg;
	struct itv v = { .nr_images = 0 };
	int err = export_interval_accounting(&v, &r->paths, entry), merged;

	if (err == -ENOMEM || err == -ESTALE)
		return err;
	/* the attempt to send the interval finds out whether it is damaged */
	if (itv_file_is_bad(err))
		return 0;
	/* If it cannot be read, it is safe to take it as merged: its samples are not sent twice. */
	if (err)
		return ++r->nr_opens >= MAX_OPENS ? 1 : op_fail(&r->log->error, err, "%s: %s",
							     entry->name, itv_strerror(err));
	merged = export_interval_is_merged(&v.accounting);
	itv_release(&v);
	return merged;
}

static int add_gap(struct run *r, int64_t from, int64_t to, const char *reason)
{
	char begin[OP_TIME_TEXT_SIZE], end[OP_TIME_TEXT_SIZE];

	/* an interval that is never sent is skipped again after each failure */
	for (size_t i = 0; i < r->nr_gaps; i++)
		if (r->gaps[i].from == from && r->gaps[i].to == to)
			return 0;
	if (op_grow(&r->gaps, r->nr_gaps))
		return -ENOMEM;
	r->gaps[r->nr_gaps++] = (struct export_gap){ from, to, reason };
	pp_warn(r->log, "not sent: %s to %s: %s", op_time_text(begin, from), op_time_text(end, to),
		reason);
	return 0;
}

/* Add a gap if intervals between the last sent one and @entry were deleted before they were
 * sent. */
static int note_removed(struct run *r, const struct itv_entry *entry)
{
	int samples = open(r->paths.samples, O_RDONLY | O_DIRECTORY | O_CLOEXEC), store;
	const int64_t from = r->progress.until;
	struct itv_removed removed = { .any = false };
	int64_t end;

	store = samples < 0 ? -1 : itv_range_open_store(samples);
	if (store >= 0) {
		itv_store_removed(&removed, store);
		close(store);
	}
	if (samples >= 0)
		close(samples);
	end = removed.by_keep > removed.by_disk ? removed.by_keep : removed.by_disk;
	if (!removed.any || from == INT64_MIN || end <= from || entry->begin <= from)
		return 0;
	return add_gap(r, from, end < entry->begin ? end : entry->begin,
		       removed.by_disk > from ? "removed by --max-disk before it was sent" :
						"removed by --keep before it was sent");
}

/* Record the interval, which can never be sent, as a gap. */
static int skip(struct run *r, const struct itv_entry *entry, const char *reason)
{
	const int64_t from = entry->begin > r->progress.until ? entry->begin : r->progress.until;
	int err = add_gap(r, from < entry->end ? from : entry->begin, entry->end, reason);

	r->nr_opens = 0;
	return err ? err : export_progress_add(&r->progress, entry);
}

/* Warn of profiles that the collector did not store, and of a warning of the collector, but not
 * more than once in MESSAGE_MS. */
static void note_rejected(struct run *r, const struct export_sent *sent)
{
	const uint64_t now = op_now_ms();
	uint64_t nr;

	r->nr_rejected += sent->nr_rejected;
	nr = r->nr_rejected - r->nr_reported;
	if ((!nr && !*sent->reason) || now < r->report_ms)
		return;
	if (nr)
		pp_warn(r->log, "the collector rejected %" PRIu64 " %s: %s", nr,
			op_plural(nr, "profile", "profiles"), sent->reason);
	else
		pp_warn(r->log, "the collector warns: %s", sent->reason);
	r->nr_reported = r->nr_rejected;
	r->report_ms = now + MESSAGE_MS;
}

/* Note that the server has the interval. */
static int note_sent(struct run *r, const struct itv_entry *entry, const struct export_sent *sent)
{
	int err = export_progress_add(&r->progress, entry);

	/* as read_progress() would set it now: intervals from here on are sent even if the daemon
	 * closes them after later ones, because the clock was set back */
	if (entry->begin < r->progress.names_since)
		r->progress.names_since = entry->begin;
	r->nr_sent += !sent->was_there;
	r->nr_there += sent->was_there;
	r->samples += sent->samples;
	r->rows += sent->nr_rows;
	r->thinned += sent->nr_thinned;
	r->bytes += sent->bytes;
	note_rejected(r, sent);
	r->nr_gaps = 0;
	r->nr_opens = 0;
	if (!err) {
		err = export_cursor_write(&r->cursor, r->target, r->sender.host.name,
					  r->progress.until);
		if (err)
			pp_warn(r->log, "cannot write the cursor: %s", strerror(-err));
	}
	return err == -ENOMEM ? err : 0;
}

static int send_entry(struct run *r, const struct itv_list *list, const struct itv_entry *entry)
{
	struct export_interval interval;
	struct export_sent sent;
	const size_t nr_gaps = r->nr_gaps;
	int err = export_interval_open(&interval, &r->paths, list, entry, r->log);

	if (err == -EEXIST)
		return skip(r, entry, "other intervals have the same time, as the clock was set back");
	if (err == -ESTALE || err == -ENOMEM)
		return err;
	if (err) {
		if (itv_file_is_bad(err) || ++r->nr_opens >= MAX_OPENS)
			return skip(r, entry, "the interval cannot be read");
		return err;
	}
	err = note_removed(r, entry);
	if (!err)
		err = r->sender.ops->send(&r->sender, &interval, r->gaps, r->nr_gaps, &sent,
					  &r->log->error);
	export_interval_release(&interval);
	if (err)
		r->nr_gaps = nr_gaps;
	return err ? err : note_sent(r, entry, &sent);
}

/* Send the next interval. Return 1 if there may be another one, 0 if not, or a negative error. */
static int step(struct run *r)
{
	struct itv_list list = { .entries = NULL };
	struct export_choice choice;
	int err = list_store(&list, r);

	if (err)
		return err;
	err = export_choose(&choice, &list, &r->progress, (int64_t)time(NULL), r->settles,
			    is_merged, r);
	if (!err && choice.kind == EXPORT_GAP)
		err = skip(r, choice.entry, EXPORT_MERGED_GAP);
	else if (!err && choice.kind == EXPORT_SEND)
		err = send_entry(r, &list, choice.entry);
	itv_list_release(&list);
	/* the store has changed: look again */
	if (err == -ESTALE && ++r->nr_stale < MAX_STALE)
		return 1;
	if (err == -ESTALE)
		err = op_fail(&r->log->error, -EBUSY, "%s: an interval has the times of samples that are "
			      "not closed yet, as the clock was set back: it is sent when they are "
			      "closed", r->paths.dir);
	r->nr_stale = 0;
	return err ? err : choice.kind != EXPORT_NOTHING;
}

static void print_summary(const struct run *r)
{
	printf("%" PRIu64 " %s sent to %s as host %s: %" PRIu64 " samples, %" PRIu64 " rows",
	       r->nr_sent, op_plural(r->nr_sent, "interval", "intervals"), r->target, r->sender.host.name,
	       r->samples, r->rows);
	if (r->thinned)
		printf(" (%" PRIu64 " thinned out)", r->thinned);
	printf(", %" PRIu64 " bytes", r->bytes);
	if (r->nr_there)
		printf("; %" PRIu64 " were there", r->nr_there);
	putchar('\n');
	if (r->nr_older)
		printf("%zu %s older than the first one that the server has, and not sent: "
		       "--since=TIME sends them\n", r->nr_older,
		       op_plural(r->nr_older, "interval is", "intervals are"));
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = stop };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

/* Wait until @seconds are over, or until a signal stops the service. */
static void wait_for(double seconds)
{
	const uint64_t end = op_now_ms() + (uint64_t)(seconds * 1000);

	while (!stopped && op_now_ms() < end) {
		const uint64_t left = end - op_now_ms();
		const uint64_t ms = left > 500 ? 500 : left;
		const struct timespec t = { .tv_nsec = (long)ms * 1000000 };

		nanosleep(&t, NULL);
	}
}

/* Wait for the time that the server requested with EXPORT_ERR_LATER, if the sum of these times is
 * at most --timeout. Return whether to try again. */
static bool wait_for_server(struct run *r, long *waited)
{
	const long wait = r->sender.retry_after > 0 ? r->sender.retry_after : FIRST_WAIT;

	if (wait > r->options->http.timeout - *waited)
		return false;
	*waited += wait;
	wait_for((double)wait);
	return !stopped;
}

/* Log how to continue without sending the same intervals again. */
static void note_interrupted(const struct run *r)
{
	if (!r->sender.ops->progress && r->cursor.dir < 0 && r->nr_sent)
		pp_note(r->log, "%" PRIu64 " %s sent: --since=@%" PRId64 " continues with the next "
			"one", r->nr_sent, op_plural(r->nr_sent, "interval was", "intervals were"),
			r->progress.until);
}

int export_run_once(const struct export_options *options, struct pp_log *log)
{
	struct run r;
	int err = run_open(&r, options, log), more = 1;
	long waited = 0;

	catch_signals();
	if (!err)
		err = connect_server(&r);
	while (!err && more && !stopped) {
		more = step(&r);
		if (more == EXPORT_ERR_LATER && wait_for_server(&r, &waited))
			continue;
		err = more < 0 ? more : 0;
	}
	if (!err && stopped)
		err = op_fail(&r.log->error, -EINTR, "interrupted");
	if (!err)
		print_summary(&r);
	else
		note_interrupted(&r);
	if (!err && r.nr_rejected)
		err = op_fail(&r.log->error, EXPORT_ERR_REJECTED, "the collector did not store %" PRIu64
			      " %s", r.nr_rejected, op_plural(r.nr_rejected, "profile", "profiles"));
	run_close(&r);
	return err;
}

/* Return a random number from 0 to 1, which differs between hosts. */
static double random_part(const struct run *r)
{
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, r->sender.host.machine);

	hash = op_hash_number(op_hash_number(hash, op_now_ms()), 7);
	return (double)(hash >> 11) / (double)(1ull << 53);
}

/* Write the cause of a failure to the log, but not more than once in MESSAGE_MS. */
static void log_failure(struct run *r, int err, uint64_t *next_ms)
{
	if (op_now_ms() < *next_ms) {
		*r->log->error.text = '\0';
		return;
	}
	*next_ms = op_now_ms() + MESSAGE_MS;
	pp_log_failure(r->log, err);
}

/* Set r->settles to a delay that depends on the machine: the intervals of many hosts end at the
 * same time, and the delays spread their requests over most of an interval. */
static void choose_delay(struct run *r)
{
	struct itv_list list = { .entries = NULL };
	int64_t length = 0;
	uint64_t hash = op_hash_number(op_hash_text(OP_HASH_BEGIN, r->sender.host.machine), 5);

	if (export_list_store(&list, &r->paths))
		return;
	for (size_t i = 0; i < list.nr; i++)
		if (!list.entries[i].step && list.entries[i].end - list.entries[i].begin > length)
			length = list.entries[i].end - list.entries[i].begin;
	itv_list_release(&list);
	r->settles = EXPORT_SETTLES + (int64_t)(hash % (uint64_t)(length * 9 / 10 + 1));
}

int export_run_service(const struct export_options *options, struct pp_log *log)
{
	struct run r;
	double wait = 0, pause;
	uint64_t next_ms = 0;
	bool is_connected = false;
	int err = run_open(&r, options, log), more = 0;

	catch_signals();
	while (!err && !stopped) {
		int result = is_connected ? 0 : connect_server(&r);

		if (!result && !is_connected)
			choose_delay(&r);
		if (!result) {
			is_connected = true;
			result = more = step(&r);
		}
		if (stopped)
			break;
		if (result < 0) {
			log_failure(&r, result, &next_ms);
			wait = wait ? wait * 2 : FIRST_WAIT;
			wait = wait > LONGEST_WAIT ? LONGEST_WAIT : wait;
			pause = wait / 2 + wait / 2 * random_part(&r);
			if (result == EXPORT_ERR_LATER && r.sender.retry_after > pause)
				pause = r.sender.retry_after < LONGEST_PAUSE ?
						(double)r.sender.retry_after : LONGEST_PAUSE;
			/* the tables or the name of this host may have changed */
			is_connected = false;
			wait_for(pause);
			continue;
		}
		wait = 0;
		if (!more)
			wait_for((double)options->every);
	}
	run_close(&r);
	return err;
}
