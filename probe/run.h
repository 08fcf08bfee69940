/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- the counts of one process and their files, from the choice of a free name to the .csp.
 */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "libop/raw/csp.h"
#include "libop/raw/probe_words.h"
#include "probe/heap.h"
#include "probe/pc/fd.h"
#include "probe/pc/names.h"
#include "probe/state.h"
#include "probe/user.h"

struct run {
	long pid;			/* the process that the run belongs to; 0: no run */
	bool is_child;			/* the process was forked while its parent was sampled */
	struct pc_names names;
	struct raw_probe_words words;
	/* number of events at the run's start; later events' metrics are in .user */
	uint32_t nr_first;
	struct pc_fd file;
	unsigned int turn;		/* of the file's name */
	struct arena_file arena_file;
	struct arena arena;
	uint32_t record;		/* struct raw_live_run */
	/* the values of the record, except .cpu_ns; a child has its parent's */
	struct raw_live_rate rate;
	uint64_t before_ns;		/* CPU time when sampling began or was resumed */
	uint64_t sampled_ns;		/* CPU time sampled before that */
	bool is_paused;			/* the rate clock is paused */
	/* the metric that counts crashes; after it come only the metric of returns and the
	 * program's own */
	uint32_t crashes;
	struct user_metrics user;	/* inherited by a child */
	int is_stopped;			/* atomic: the program has stopped counting; inherited */
	struct epochs epochs;
	struct states states;
	struct named named;
	uint32_t met;			/* the metric of .named */
	struct heap heap;
	uint32_t *filter;		/* of the heap, FILTER_SIZE words */
	struct raw_csp_out out;
};

static inline struct raw_live_run *run_record(struct run *run)
{
	return arena_at(&run->arena, run->record);
}

/* Remove the file of a run in which nothing was counted, because the process executes a program.
 * The run can go on: its counts are memory until it ends. */
void run_drop_empty(struct run *run);

/* Create the file and the states of this process, with .names, .words and .filter as they are.
 * Return 0 or a negative errno. */
int run_open(struct run *run);

/* Start the rate clock: from now on CPU time is sampled as .rate says. */
void run_rate_begins(struct run *run);
/* Pause the rate clock. Idempotent. */
void run_rate_pauses(struct run *run);
void run_rate_goes_on(struct run *run);
/* Write the rate up to now to the file, because the program may end without notice. */
void run_rate_noted(struct run *run);

/* Count a lost sample or call whose thread has no state. */
void run_lost_sample(struct run *run);
void run_lost_call(struct run *run);

/* Return the first metric of event @name, or a negative number if the event was not requested. */
int run_metric(const struct run *run, const char *name);

/*
 * Return 0 if the events of @words that are not counted yet can be added; -ENOTSUP if the program
 * counts one itself or has its own metrics; -EEXIST if an event is counted with another period;
 * -ENOSPC.
 */
int run_check_events(struct run *run, const struct raw_probe_words *words);

/* Return the first metric that run_add_events() will give event @i of @words, which is not
 * counted yet. */
uint32_t run_new_metric(const struct run *run, const struct raw_probe_words *words, uint32_t i);

/* Add those events. Counting must be stopped, and run_check_events() must have returned 0. */
void run_add_events(struct run *run, const struct raw_probe_words *words);

/* Return the number of metrics without the program's own. */
static inline uint32_t run_nr_metrics(const struct run *run)
{
	return run->crashes + 1 + (run->words.marks && run->words.returns != RAW_PROBE_RETURNS_OFF);
}

/* Copy as much of @name as fits into @metric's name, which is zeros. */
void run_name_metric(struct raw_live_metric *metric, const char *name);

/* Write the .csp and then remove the .csp.live. If the .csp cannot be written, keep the
 * .csp.live. */
void run_end(struct run *run);

/* Mark frames from now on if that was requested and is possible; otherwise report the cause. Called
 * once in a program. */
void run_begin_marking(struct run *run);

/* Report a line that opprobe(1) prints if it started the program: @a @b, and error @n unless it is
 * 0. */
void run_tell(const struct run *run, const char *a, const char *b, long n);

/* Report on stderr that $OPPROBE, @text, is wrong from offset @wrong on. The user wrote the
 * variable by hand, so there is no opprobe to print the line. */
void run_tell_wrong(const char *text, size_t wrong);

#endif
