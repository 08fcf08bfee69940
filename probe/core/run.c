// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c -- a run: the counts of one process and their files.
 */
#include "config.h"
#include "probe/core/run.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "libop/raw/live_to_csp.h"
#include "probe/base/text.h"
#include "probe/linux/calls.h"

/* maximum number of files with the same program name and process id */
#define SAME_NAME	100

void run_report(const struct run *r, const char *a, const char *b, long n)
{
	/* a line of at most PIPE_BUF bytes, which a pipe does not mix with lines of other
	 * writers */
	char buf[FD_PATH - 200];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, a);
	text_add(&t, b);
	if (n) {
		text_add(&t, ": error ");
		text_add_number(&t, n < 0 ? -n : n);
	}
	text_send(&t, r->names.fifo);
}

void run_report_syntax(const char *text, size_t wrong)
{
	char buf[1024];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, "opprobe: cannot parse $OPPROBE from its ");
	text_add_number(&t, wrong + 1);
	text_add(&t, ". character on, so nothing is sampled: ");
	text_add(&t, text + wrong);
	text_print(&t);
}

static void count_lost(struct raw_live_counts *counts, enum raw_live_loss loss)
{
	__atomic_fetch_add(&counts->taken, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counts->lost[loss], 1, __ATOMIC_RELAXED);
}

void run_lost_sample(struct run *run)
{
	count_lost(&run_record(run)->samples, RAW_LIVE_NO_STATE);
}

void run_lost_call(struct run *run)
{
	count_lost(&run_record(run)->calls, RAW_LIVE_NO_STATE);
}

static uint32_t put_command(struct arena *arena)
{
	/* Static, because the buffer is too large for the stack. The buffer is used once per run,
	 * so only one thread uses it at a time. */
	static char buf[60000];
	int fd = call_openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	struct raw_live_text *text;
	long got;
	uint32_t ref;

	if (fd < 0)
		return 0;
	got = call_read(fd, buf, sizeof(buf));
	call_close(fd);
	ref = got > 0 ? arena_alloc(arena, sizeof(*text) + got) : 0;
	if (!ref)
		return 0;
	text = arena_at(arena, ref);
	text->len = got;
	__builtin_memcpy(text->bytes, buf, got);
	return ref;
}

void run_begin_marking(struct run *r)
{
	int err = r->words.marks ? marker_begin(marker_returned) : 0;

	if (!err)
		return;
	r->words.marks = false;
	run_report(r, "cannot mark frames (--marker=on): ",
		 err == -EPERM	  ? "the program would be disturbed, or it is static"
		 : err == -ENOSYS ? "not supported on this CPU"
				  : "no memory",
		 0);
}

/* Return the number of metrics of an event. An event that is sampled by signals has one metric. The
 * event "malloc" has one metric in addition to the metrics in the table of events. */
static uint32_t count_metrics(const struct raw_probe_kind *kind)
{
	uint32_t nr = 0;

	if (raw_probe_by_signal(kind))
		return 1;
	while (kind->metrics[nr])
		nr++;
	return nr + !__builtin_strcmp(kind->name, "malloc");
}

int run_metric(const struct run *r, const char *name)
{
	int metric = 0;

	for (uint32_t i = 0; i < r->words.nr_events; i++) {
		if (i == r->nr_first)
			metric = run_nr_metrics(r);
		if (!__builtin_strcmp(r->words.events[i].name, name))
			return metric;
		metric += count_metrics(r->words.events[i].kind);
	}
	return -ENOENT;
}

static const struct raw_probe_event *event_of(const struct run *r, const char *name)
{
	for (uint32_t i = 0; i < r->words.nr_events; i++)
		if (!__builtin_strcmp(r->words.events[i].name, name))
			return &r->words.events[i];
	return NULL;
}

void run_name_metric(struct raw_live_metric *metric, const char *name)
{
	for (size_t i = 0; name[i] && i < RAW_LIVE_NAME - 1; i++)
		metric->event[i] = name[i];
}

static void put_event(struct raw_live_metric *metrics, const struct raw_probe_event *event)
{
	const char *const *names = event->kind->metrics;
	uint32_t nr = count_metrics(event->kind);

	if (raw_probe_by_signal(event->kind)) {
		metrics[0].flags = RAW_CSP_ASYNC;
		metrics[0].period = event->period;
		run_name_metric(&metrics[0], event->name);
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		metrics[i].flags = names[i] ? 0 : RAW_LIVE_HIDDEN;
		metrics[i].period = 1;
		run_name_metric(&metrics[i], names[i] ? names[i] : "");
	}
}

static int put_run(struct run *r)
{
	struct raw_live_run *run;
	long got;

	r->record = arena_alloc(&r->arena, sizeof(*run));
	if (r->record != RAW_LIVE_TOP)
		return -ENOMEM;
	run = run_record(r);
	run->pid = r->pid;
	run->start_ns = call_now_ns();
	run->nr_metrics = run_nr_metrics(r) + r->user.nr;
	run->flags = (r->words.by_thread ? RAW_LIVE_BY_THREAD : 0) |
		     (r->words.is_01_01 ? RAW_LIVE_01_01 : 0) |
		     (r->words.marks ? RAW_LIVE_MARKED : 0);
	for (uint32_t i = 0; i < r->nr_first; i++)
		put_event(&run->metrics[run_metric(r, r->words.events[i].name)],
			  &r->words.events[i]);
	run->metrics[r->crashes] = (struct raw_live_metric){ RAW_CSP_CRASHES, RAW_LIVE_HIDDEN, 1 };
	if (run_nr_metrics(r) > r->crashes + 1)
		run->metrics[r->crashes + 1] = (struct raw_live_metric){ RAW_CSP_RETURNS, 0, 1 };
	for (uint32_t i = run_nr_metrics(r); i < run->nr_metrics; i++)
		run->metrics[i] = r->user.metrics[i];
	got = arch_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)run->program,
			RAW_LIVE_PATH - 1, 0, 0);
	run->program[got > 0 ? got : 0] = '\0';
	run->command = put_command(&r->arena);
	return 0;
}

/* Create the .csp.live file under the first name for which neither .csp.live nor .csp exists. */
static int create_file(struct run *r)
{
	char path[FD_PATH], done[FD_PATH];
	struct statx st;
	int err = -EEXIST;

	for (r->turn = 0; r->turn < SAME_NAME && err == -EEXIST; r->turn++) {
		if (!names_path(&r->names, path, r->pid, r->turn, ".csp.live") ||
		    !names_path(&r->names, done, r->pid, r->turn, ".csp"))
			return -ENAMETOOLONG;
		if (!call_statx(AT_FDCWD, done, AT_SYMLINK_NOFOLLOW, &st))
			continue;
		err = fd_create(&r->file, path, O_RDWR);
		if (!err)
			break;
	}
	if (err)
		return err;
	/* The lock shows other processes that this process still uses the file. */
	call_flock(r->file.fd, LOCK_EX | LOCK_NB);
	r->arena_file = (struct arena_file){ .fd = &r->file };
	return 0;
}

/* Return the process's CPU time during which sample signals are possible, in ns. The driver perf
 * sends no signals in kernel mode, so only user time counts for it. */
static uint64_t cpu_time(const struct raw_live_rate *rate)
{
	long t[2] = { 0, 0 };
	struct rusage usage;

	if (rate->driver != RAW_PROBE_PERF) {
		arch_call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)t, 0, 0, 0, 0);
		return (uint64_t)t[0] * 1000000000 + t[1];
	}
	if (arch_call(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0, 0, 0))
		return 0;
	return (uint64_t)usage.ru_utime.tv_sec * 1000000000 +
	       (uint64_t)usage.ru_utime.tv_usec * 1000;
}

void run_rate_begins(struct run *r)
{
	run_record(r)->rate = r->rate;
	r->before_ns = cpu_time(&r->rate);
	r->sampled_ns = 0;
	r->is_paused = false;
}

void run_rate_pauses(struct run *r)
{
	if (!r->is_paused)
		r->sampled_ns += cpu_time(&r->rate) - r->before_ns;
	run_record(r)->rate.cpu_ns = r->sampled_ns;
	r->is_paused = true;
}

void run_rate_goes_on(struct run *r)
{
	if (r->is_paused)
		r->before_ns = cpu_time(&r->rate);
	r->is_paused = false;
}

void run_rate_noted(struct run *r)
{
	if (r->is_paused)
		return;
	run_rate_pauses(r);
	run_rate_goes_on(r);
}

/* Return whether nothing was sampled or counted in the run. */
static bool is_empty(struct run *r)
{
	const struct raw_live_run *run = run_record(r);

	if (run->samples.taken || run->calls.taken)
		return false;
	for (const struct state *s = r->states.first; s; s = s->next) {
		const struct raw_live_thread *thread = arena_at(&s->arena, s->thread);

		if (s->epoch || thread->signals || thread->samples.taken || thread->calls.taken)
			return false;
	}
	return true;
}

void run_drop_empty(struct run *r)
{
	if (is_empty(r))
		call_unlinkat(AT_FDCWD, r->file.path);
}

int run_open(struct run *r)
{
	const struct raw_probe_event *heap = event_of(r, "malloc");
	uint64_t start, end;
	int err;

	r->pid = call_getpid();
	r->crashes = 0;
	for (uint32_t i = 0; i < r->nr_first; i++)
		r->crashes += count_metrics(r->words.events[i].kind);
	r->user.lock = 0;
	r->states = (struct states){
		.file = &r->arena_file,
		.epochs = &r->epochs,
		.by_function = r->words.by_function,
		.by_thread = r->words.by_thread,
		.memory = r->words.memory,
		.marks =
			{
				.is_on = r->words.marks,
				.counts_all = r->words.returns == RAW_PROBE_RETURNS_ALL,
				.metric = run_nr_metrics(r) > r->crashes + 1 ? r->crashes + 1
									     : RAW_LIVE_MAX_METRICS,
			},
	};
	r->named = (struct named){ &r->words, &r->states.unsafe, &r->met };
	err = create_file(r);
	if (err)
		return err;
	err = arena_init(&r->arena, &r->arena_file, 0);
	if (!err)
		err = put_run(r);
	if (!err)
		r->states.run = run_record(r);
	if (!err)
		err = epochs_init(&r->epochs, &r->arena, r->record,
				  raw_live_columns(run_nr_metrics(r)) | r->user.live, &r->named,
				  r->place->module_loaded);
	if (!err && r->place->find_code(&r->epochs, &start, &end))
		err = unsafe_add(&r->states.unsafe, start, end, UNSAFE_OWN);
	if (err) {
		call_unlinkat(AT_FDCWD, r->file.path);
		fd_close(&r->file);
		return err;
	}
	if (heap)
		heap_begin(&r->heap, run_record(r), run_metric(r, "malloc"), heap->period,
			   r->filter, &r->states.nr);
	return 0;
}

uint32_t run_new_metric(const struct run *r, const struct raw_probe_words *words, uint32_t i)
{
	uint32_t metric = run_nr_metrics(r) + r->user.nr;

	for (uint32_t j = 0; j < i; j++)
		if (!event_of(r, words->events[j].name))
			metric += count_metrics(words->events[j].kind);
	return metric;
}

int run_check_events(struct run *r, const struct raw_probe_words *words)
{
	uint32_t nr = 0, nr_events = r->words.nr_events, own = r->user.nr;

	for (uint32_t i = r->nr_first; i < r->words.nr_events; i++)
		own -= count_metrics(r->words.events[i].kind);
	for (uint32_t i = 0; i < words->nr_events; i++) {
		const struct raw_probe_event *event = &words->events[i],
					     *counted = event_of(r, event->name);

		if (counted && raw_probe_by_signal(event->kind) && counted->period != event->period)
			return -EEXIST;
		if (counted)
			continue;
		/*
		 * A node stores its counts in the order of the metrics. The program may delete its
		 * own metrics. So if an event's metric followed them, the position of its count
		 * would change.
		 */
		if (event->kind->by == RAW_PROBE_BY_PROGRAM || own)
			return -ENOTSUP;
		nr += count_metrics(event->kind);
		nr_events++;
	}
	return nr + run_record(r)->nr_metrics > RAW_LIVE_MAX_METRICS || nr_events > RAW_PROBE_EVENTS
		       ? -ENOSPC
		       : 0;
}

/* Add @event to the run. Initialize its metrics before adding them to the mask of the counted
 * metrics, because other threads read the metrics without a lock. */
static void add_event(struct run *r, const struct raw_probe_event *event)
{
	const uint32_t first = run_nr_metrics(r) + r->user.nr, nr = count_metrics(event->kind);
	struct raw_live_run *record = run_record(r);

	r->words.events[r->words.nr_events++] = *event;
	put_event(&record->metrics[first], event);
	for (uint32_t i = first; i < first + nr; i++)
		r->user.metrics[i] = record->metrics[i];
	r->user.nr += nr;
	__atomic_store_n(&record->nr_metrics, first + nr, __ATOMIC_RELEASE);
	__atomic_store_n(&r->user.live,
			 r->user.live | (raw_live_columns(first + nr) & ~raw_live_columns(first)),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&r->epochs.columns, raw_live_columns(run_nr_metrics(r)) | r->user.live,
			 __ATOMIC_RELEASE);
	if (!__builtin_strcmp(event->name, "malloc"))
		heap_begin(&r->heap, record, first, event->period, r->filter, &r->states.nr);
}

void run_add_events(struct run *r, const struct raw_probe_words *words)
{
	for (uint32_t i = 0; i < words->nr_events; i++)
		if (!event_of(r, words->events[i].name))
			add_event(r, &words->events[i]);
}

static int write_all(void *arg, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		long done = call_write(*(int *)arg, at, len);

		if (done == -EINTR)
			continue;
		if (done <= 0)
			return done ? (int)done : -ENOSPC;
		at += done;
		len -= done;
	}
	return 0;
}

/* Set *@live to the arenas of all threads, as raw_live_open() does for a .csp.live file. Return 0
 * or -ENOMEM. */
static int find_all(struct run *r, struct raw_live *live)
{
	uint32_t nr = __atomic_load_n(&r->states.nr, __ATOMIC_ACQUIRE) + 1;
	long at = call_mmap(nr * sizeof(struct raw_live_arena), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (call_failed(at))
		return -ENOMEM;
	*live = (struct raw_live){
		.arenas = (struct raw_live_arena *)at, .nr_arenas = nr, .is_whole = true,
	};
	live->arenas[0] = r->arena.live;
	/* Ignore threads that started after their number was read, because they have not counted
	 * anything. */
	for (struct state *s = __atomic_load_n(&r->states.first, __ATOMIC_ACQUIRE); s; s = s->next)
		if (s->arena.number < nr)
			live->arenas[s->arena.number] = s->arena.live;
	return 0;
}

/* Return the suffix of a file name: ".csp"; with a thread id, ".TID.csp"; or ".TID.TURN.csp" if
 * that name is in use. */
static const char *name_end(char buf[40], uint32_t tid, unsigned int turn)
{
	struct text t;

	text_init(&t, buf, 40);
	if (tid) {
		text_add(&t, ".");
		text_add_number(&t, tid);
	}
	if (turn) {
		text_add(&t, ".");
		text_add_number(&t, turn);
	}
	text_add(&t, ".csp");
	return buf;
}

/* Write a .csp file of the trees of arena @only, for the thread @tid. If both are 0, write the
 * trees of all arenas to the .csp file of the process. */
static int write_csp(struct run *r, const struct raw_live *live, uint32_t only, uint32_t tid)
{
	char path[FD_PATH], end[40];
	int err = -EEXIST;
	struct fd f;

	for (unsigned int turn = 0; err == -EEXIST && turn < (tid ? SAME_NAME : 1); turn++)
		err = names_path(&r->names, path, r->pid, r->turn, name_end(end, tid, turn)) ?
		      fd_create(&f, path, O_WRONLY) : -ENAMETOOLONG;
	if (err)
		return err;
	raw_csp_begin(&r->out, write_all, &f.fd);
	err = raw_live_to_csp(live, &r->out, only, NULL);
	if (err)
		call_unlinkat(AT_FDCWD, path);
	fd_close(&f);
	return err;
}

/* Write one .csp file for the process, or one for each thread. If a thread's file cannot be
 * written, keep the .csp.live file for the remaining threads. */
static int write_all_csp(struct run *r, const struct raw_live *live)
{
	int err = r->words.by_thread ? 0 : write_csp(r, live, 0, 0);

	for (uint32_t i = 1; r->words.by_thread && i < live->nr_arenas && !err; i++) {
		uint32_t tid = raw_live_own_file(live, i);

		if (!tid)
			continue;
		err = write_csp(r, live, i, tid);
		/* Clear the thread's id in the .csp.live file, so that a later conversion of the
		 * file skips this thread. */
		if (!err)
			((struct raw_live_thread *)raw_live_at(&live->arenas[i], RAW_LIVE_TOP))
				->tid = 0;
	}
	return err;
}

void run_end(struct run *r)
{
	struct raw_live live;
	int err;

	run_rate_pauses(r);
	err = find_all(r, &live);
	if (!err) {
		err = write_all_csp(r, &live);
		call_munmap(live.arenas, live.nr_arenas * sizeof(struct raw_live_arena));
	}
	if (err && !r->arena.is_in_file) {
		/* All counts are in private memory, so the .csp.live file is empty: remove it. */
		call_unlinkat(AT_FDCWD, r->file.path);
		run_report(r, r->file.path,
			 ": the counts are lost: cannot write this file or its .csp", err);
	} else if (err) {
		run_report(r, r->file.path, ": kept, because its .csp cannot be written", err);
	} else {
		err = call_unlinkat(AT_FDCWD, r->file.path);
		/* run_drop_empty() may already have removed the .csp.live file. */
		if (err && err != -ENOENT)
			run_report(r, r->file.path, ": cannot remove this file; its .csp is complete",
				 err);
	}
	fd_close(&r->file);
}
