// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c -- a run of a pc sample collector in one process: from parsing $PCT to closing the file.
 */
#include "config.h"
#include "probe/pc/run.h"

#include <errno.h>

#include "probe/base/text.h"
#include "probe/linux/calls.h"
#include "probe/pc/sum.h"

#define CPU_TIME_CLOCK	2	/* CLOCK_PROCESS_CPUTIME_ID of <time.h> */
#define COARSE_CLOCK	5	/* CLOCK_REALTIME_COARSE of <time.h> */
/* maximum number of files of one process; a process may execute the same program several times */
#define SAME_NAME	100
/* maximum length of a line: PIPE_BUF or less, so that a pipe does not mix the line with lines of
 * other writers */
#define LINE_MAX_BYTES	(FD_PATH - 200)

static void begin_line(const struct pc_run *run, struct text *t, char line[LINE_MAX_BYTES])
{
	text_init(t, line, LINE_MAX_BYTES);
	text_add(t, run->collector->name);
	text_add(t, ": ");
}

static void end_line(const struct pc_run *run, struct text *t)
{
	if (!text_send(t, run->names.fifo) && run->words.verbose)
		text_print(t);
}

/* Print a message. Build the message in run->path, because the stack of a signal handler may be too
 * small for a buffer. */
static void report(struct pc_run *run, const char *what, const char *name, uint64_t n,
		 const char *more)
{
	struct text t;

	if (!run->collector->name)
		return;
	begin_line(run, &t, run->path);
	text_add(&t, what);
	text_add(&t, name);
	if (more) {
		text_add_number(&t, n);
		text_add(&t, more);
	}
	end_line(run, &t);
}

/* Print that the value @text of $PCT is invalid. The message gives the reason: @why, @width (unless
 * it is 0) and @more. Disable sampling in this process permanently. */
static void refuse_words(struct pc_run *run, const char *text, const char *why, uint64_t width,
			 const char *more)
{
	char line[LINE_MAX_BYTES];
	struct text t;

	run->is_inert = run->words.verbose = true;
	if (!run->collector->name)
		return;
	begin_line(run, &t, line);
	text_add(&t, "cannot sample with PCT=");
	text_add(&t, text);
	text_add(&t, ": ");
	text_add(&t, why);
	if (width)
		text_add_number(&t, width);
	text_add(&t, more);
	end_line(run, &t);
}

/* Print that sampling is not possible, and disable it in this process permanently. The program
 * continues normally. */
static void disable(struct pc_run *run, const char *what, const char *name, long err)
{
	run->is_inert = true;
	run->error = err;
	report(run, what, name, -err, "; nothing is sampled");
}

/* Return the period of the kernel's tick in ns; timers expire only at ticks. */
static uint64_t tick_ns(void)
{
	long t[2] = { 0, 0 };

	arch_call(SYS_clock_getres, COARSE_CLOCK, (long)t, 0, 0, 0, 0);
	return t[0] || t[1] ? (uint64_t)t[0] * 1000000000 + t[1] : 10000000;
}

static void put_clock(const struct pc_run *run, struct raw_pct_header *h)
{
	struct text t;

	h->clock = run->words.clock;
	text_init(&t, h->event, sizeof(h->event));
	text_add(&t, run->words.clock == RAW_PCT_REAL      ? "WALL"
			: run->words.clock == RAW_PCT_VIRTUAL ? "USER_TIME"
							      : "CPU_TIME");
}

static void make_header(const struct pc_run *run, struct raw_pct_header *h)
{
	static const char translators[RAW_PCT_NR_TRANSLATORS][RAW_PCT_NAME] = RAW_PCT_TRANSLATORS;
	long got;

	__builtin_memset(h, 0, sizeof(*h));
	h->magic = RAW_PCT_MAGIC;
	h->version = RAW_PCT_VERSION;
	h->kind = run->words.circle ? RAW_PCT_CIRCLE
		  : run->words.log  ? RAW_PCT_LOG
				    : RAW_PCT_COUNTS;
	h->id = call_now_ns() ^ ((uint64_t)run->pid << 44);
	h->runs = 1;
	h->quantum_ns = run->collector->by_tick ? tick_ns() : pc_run_quantum_ns(run);
	put_clock(run, h);
	h->gap = run->words.gap;
	h->pid = run->pid;
	h->driver = run->driver;
	h->word = sizeof(void *);
	__builtin_memcpy(h->translator, translators[run->words.translator], RAW_PCT_NAME);
	got = arch_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)h->program,
			RAW_PCT_PATH - 1, 0, 0);
	h->program[got > 0 ? got : 0] = '\0';
}

/* Create the file, and the log file if requested, under the first name that is free. */
static int create(struct pc_run *run, const struct raw_pct_header *h)
{
	char *path = run->path;
	int err = -EEXIST;

	for (unsigned int turn = 0; turn < SAME_NAME && err == -EEXIST; turn++) {
		if (!names_path(&run->names, path, run->pid, turn, ".pct"))
			return -ENAMETOOLONG;
		err = pc_file_create(&run->file, path, h);
		if (err || h->kind == RAW_PCT_COUNTS)
			continue;
		names_path(&run->names, path, run->pid, turn, ".pcs");
		err = pc_log_create(&run->log, path, run->words.circle);
		run->has_log = !err;
		if (err) {
			call_unlinkat(AT_FDCWD, run->file.fd.path);
			pc_file_close(&run->file);
		}
	}
	return err;
}

/* Return the current value, in ns, of the clock by which samples are taken. */
static uint64_t clock_ns(const struct pc_run *run)
{
	/* large enough for the largest struct that the kernel may write: struct rusage */
	long t[18] = { 0 };

	if (run->words.clock == RAW_PCT_REAL)
		return call_now_ns();
	if (run->words.clock != RAW_PCT_VIRTUAL) {
		arch_call(SYS_clock_gettime, CPU_TIME_CLOCK, (long)t, 0, 0, 0, 0);
		return (uint64_t)t[0] * 1000000000 + t[1];
	}
	arch_call(SYS_getrusage, 0 /* RUSAGE_SELF */, (long)t, 0, 0, 0, 0);
	return (uint64_t)t[0] * 1000000000 + (uint64_t)t[1] * 1000;
}

static bool parse_words(struct pc_run *run, const char *text)
{
	const struct pc_collector *c = run->collector;
	size_t wrong;

	raw_pct_words_init(&run->words);
	if (c->width)
		run->words.width = c->width;
	if (raw_pct_words_parse(&run->words, text, &wrong)) {
		refuse_words(run, text, "unknown word, see pct(1): ", 0, text + wrong);
		return false;
	}
	if ((c->width && (run->words.width != c->width || run->words.log || run->words.circle)) ||
	    (c->by_tick && (run->words.clock != RAW_PCT_PROF || run->words.gap)) ||
	    run->words.bin < c->least_bin) {
		refuse_words(run, text, "profil(3) supports only the clock IP, no random gaps, no log, "
			     "and counters of ", c->width,
			     " bytes, each for at least as many bytes of code");
		return false;
	}
	return true;
}

/* Create the files of the run, and the table of executable mappings. run->names must be set. May be
 * called in a signal handler with a small stack. */
static bool open_files(struct pc_run *run)
{
	/* A struct for the header is too large for a small stack: use a buffer that nothing else
	 * uses at this time. */
	struct raw_pct_header *h = (struct raw_pct_header *)run->code.buf;
	int err;

	_Static_assert(sizeof(run->code.buf) >= sizeof(*h), "room for a header");
	make_header(run, h);
	err = create(run, h);
	if (err) {
		disable(run, run->names.dir, ": cannot create a file there: error ", err);
		return false;
	}
	err = pc_code_init(&run->code, &run->file, run->words.bin,
			   run->has_log ? 0 : run->words.width, run->collector->main_only);
	if (err) {
		disable(run, "/proc/self/maps", ": error ", err);
		call_unlinkat(AT_FDCWD, run->file.fd.path);
		pc_file_close(&run->file);
		return false;
	}
	if (run->words.verbose)
		report(run, "samples go to ", run->file.fd.path, 0, NULL);
	return true;
}

static void begin_process(struct pc_run *run)
{
	run->pid = call_getpid();
	run->random = call_now_ns() | 1;
	run->signals = 0;
	run->has_log = false;
}

/* Choose the file names, and create the files and the table of regions. Do not start sampling. */
static bool open_run(struct pc_run *run, char **environ)
{
	static const char no_dir[] =
		"cannot find a directory of yours for files: name one with PCT=oDIR: error ";
	int err;

	begin_process(run);
	err = names_find(&run->names, &run->words, environ);
	if (!err)
		return open_files(run);
	disable(run, no_dir, "", err);
	return false;
}

/* Create the files of a child process when the child takes its first sample. Return whether the
 * files exist. */
static bool open_late(struct pc_run *run)
{
	bool is_open;

	if (__atomic_exchange_n(&run->opening, true, __ATOMIC_ACQUIRE))
		return false;
	is_open = !__atomic_load_n(&run->is_late, __ATOMIC_ACQUIRE) || open_files(run);
	if (is_open)
		__atomic_store_n(&run->is_late, false, __ATOMIC_RELEASE);
	else
		run->is_on = false;
	__atomic_store_n(&run->opening, false, __ATOMIC_RELEASE);
	return is_open;
}

void pc_run_set_driver(struct pc_run *run, enum raw_pct_driver driver, enum raw_pct_clock clock)
{
	run->driver = driver;
	if (run->words.clock != clock) {
		run->words.clock = clock;
		run->began_ns = clock_ns(run);
	}
	if (run->file.header) {
		run->file.header->driver = driver;
		put_clock(run, run->file.header);
	}
}

void pc_run_on(struct pc_run *run, const struct pc_collector *collector, char **environ)
{
	int err;

	if (run->is_inert || __atomic_load_n(&run->is_on, __ATOMIC_RELAXED))
		return;
	if (!run->pid) {
		const char *words = names_variable(environ, "PCT");

		run->collector = collector;
		names_find_fifo(&run->names, environ);
		if (names_is_privileged(environ)) {
			run->is_inert = true;
			return;
		}
		if (!parse_words(run, words ? words : "") || !open_run(run, environ))
			return;
	}
	run->began_ns = clock_ns(run);
	__atomic_store_n(&run->is_on, true, __ATOMIC_SEQ_CST);
	err = collector->start(run);
	if (err) {
		run->is_on = false;
		disable(run, "no timer", ": error ", err);
	}
}

void pc_run_begin(struct pc_run *run, const struct pc_collector *collector, char **environ)
{
	if (names_variable(environ, "PCT"))
		pc_run_on(run, collector, environ);
}

void pc_run_off(struct pc_run *run)
{
	if (!__atomic_load_n(&run->is_on, __ATOMIC_RELAXED) || run->pid != call_getpid())
		return;
	run->collector->stop(run);
	__atomic_store_n(&run->is_on, false, __ATOMIC_SEQ_CST);
	/* Wait until no thread is in the signal handler. Limit the time, because a thread may be
	 * preempted in the handler. */
	for (int i = 0; i < 1000 && __atomic_load_n(&run->inside, __ATOMIC_SEQ_CST); i++)
		call_sleep_ms(1);
	if (run->file.header && run->file.header->taken) {
		run->file.header->timed_ns += clock_ns(run) - run->began_ns;
		run->file.header->timed = run->signals;
	}
}

static void end_counts(struct pc_run *run)
{
	const char *own = run->file.fd.path + __builtin_strlen(run->names.dir) + 1;
	char sum[FD_PATH];
	int err;

	/* Closing the file releases the lock on it. From now on, another process that runs the
	 * program may add the file to the sum of the runs. */
	pc_file_close(&run->file);
	err = pc_sum(&run->names, run->words.truncate, own);
	if (err && run->words.verbose)
		report(run, run->file.fd.path, " is not added to the sum: error ", -err, "");
	else if (run->words.verbose && names_path(&run->names, sum, 0, 0, ".pct"))
		report(run, "samples are added to the sum in ", sum, 0, NULL);
}

void pc_run_end(struct pc_run *run)
{
	if ((!run->file.header && !run->is_late) || run->pid != call_getpid())
		return;
	pc_run_off(run);
	run->is_inert = true;
	if (!run->file.header)
		return;
	/* If a thread is still in the signal handler, do not close the file: the handler may be
	 * using its memory. */
	if (__atomic_load_n(&run->inside, __ATOMIC_SEQ_CST))
		return;
	if (run->words.verbose)
		report(run, "samples", ": ", run->file.header->taken, "");
	if (run->has_log) {
		fd_close(&run->log.fd);
		pc_file_close(&run->file);
	} else {
		end_counts(run);
	}
}

void pc_run_forked(struct pc_run *run)
{
	bool was_on = run->is_on;

	if (!run->pid || (!run->file.header && !run->is_late))
		return;
	/* Close the files that were inherited from the parent. They share the parent's lock, by
	 * which other processes see that the parent is still running. */
	run->is_on = false;
	run->inside = 0;
	run->opening = false;
	if (run->file.header && run->has_log)
		fd_close(&run->log.fd);
	pc_file_close(&run->file);
	begin_process(run);
	run->is_late = 1;
	if (!was_on)
		return;
	run->began_ns = clock_ns(run);
	run->is_on = 1;
	if (run->collector->start(run))
		run->is_on = false;
}

void pc_run_sample(struct pc_run *run, uintptr_t at, uint64_t weight)
{
	__atomic_fetch_add(&run->inside, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&run->is_on, __ATOMIC_SEQ_CST) &&
	    (!__atomic_load_n(&run->is_late, __ATOMIC_ACQUIRE) || open_late(run))) {
		pc_run_count_signal(run);
		pc_code_sample(&run->code, at, weight);
		if (run->has_log) {
			int err = pc_log_add(&run->log, at);

			if (err)
				pc_file_lose(&run->file,
					     err == -EBUSY ? RAW_PCT_BUSY : RAW_PCT_NO_ROOM, 1);
		}
	}
	__atomic_fetch_sub(&run->inside, 1, __ATOMIC_SEQ_CST);
}

uint64_t pc_run_gap(struct pc_run *run)
{
	uint64_t gap = 1, most = 64ULL * run->words.gap;

	/* A sample occurs in each quantum with the probability 1 / words.gap. So the gaps between
	 * samples are independent of each other, and words.gap quanta long on average. */
	while (run->words.gap && gap < most) {
		run->random ^= run->random << 13;
		run->random ^= run->random >> 7;
		run->random ^= run->random << 17;
		if (!((run->random >> 16) % run->words.gap))
			break;
		gap++;
	}
	return gap;
}
