/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- what is counted of one process, and its files: from the first name that is free to the .csp.
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
	long pid;			/* whose it is; 0: there is none */
	bool is_child;			/* the process was forked while its parent was sampled */
	struct pc_names names;
	struct raw_probe_words words;
	uint32_t nr_first;		/* number of events at the run's start; later events' metrics are in .user */
	struct pc_fd file;
	unsigned int turn;		/* of the file's name */
	struct arena_file arena_file;
	struct arena arena;
	uint32_t record;		/* struct raw_live_run */
	struct raw_live_rate rate;	/* what the record is to say, but for .cpu_ns; a child has its parent's */
	uint64_t before_ns;		/* CPU time when sampling began, or went on */
	uint64_t sampled_ns;		/* ... up to then */
	bool is_paused;			/* it does not go on */
	uint32_t crashes;		/* the metric that counts them; behind it only that of returns and the program's own */
	struct user_metrics user;	/* a child has its parent's */
	struct epochs epochs;
	struct states states;
	struct named named;
	uint32_t met;			/* .named's */
	struct heap heap;
	uint32_t *filter;		/* of the heap, FILTER_SIZE words */
	struct raw_csp_out out;
};

static inline struct raw_live_run *run_record(struct run *run)
{
	return arena_at(&run->arena, run->record);
}

/* Remove the file of a run in which nothing was counted, because the process executes a program. The
 * run can go on: its counts are memory until it ends. */
void run_drop_empty(struct run *run);

/* This process' own file and states, with .names, .words and .filter as they are. 0 or negative errno. */
int run_open(struct run *run);

/* CPU time is sampled from now on, as .rate says. */
void run_rate_begins(struct run *run);
/* It is not meanwhile. Twice is once. */
void run_rate_pauses(struct run *run);
void run_rate_goes_on(struct run *run);
/* The file has the rate until now: the program may end without another word. */
void run_rate_noted(struct run *run);

/* A sample, or a call, was lost: its thread has no state. */
void run_lost_sample(struct run *run);
void run_lost_call(struct run *run);

/* The first of the metrics of event @name; negative: it was not asked for. */
int run_metric(const struct run *run, const char *name);

/*
 * Return 0 if the events of @words that are not counted yet can be added; -ENOTSUP if the program counts one itself or has its
 * own metrics; -EEXIST if an event is counted with another period; -ENOSPC.
 */
int run_check_events(struct run *run, const struct raw_probe_words *words);

/* Return the first metric that run_add_events() will give event @i of @words, which is not counted yet. */
uint32_t run_new_metric(const struct run *run, const struct raw_probe_words *words, uint32_t i);

/* Add those events. Counting must be stopped, and run_check_events() must have returned 0. */
void run_add_events(struct run *run, const struct raw_probe_words *words);

/* How many metrics there are that are not the program's own. */
static inline uint32_t run_nr_metrics(const struct run *run)
{
	return run->crashes + 1 + (run->words.marks && run->words.returns != RAW_PROBE_RETURNS_OFF);
}

/* As much of @name as there is room for, into zeros. */
void run_name_metric(struct raw_live_metric *metric, const char *name);

/* Its .csp, and then its .csp.live goes; if that cannot be, .csp.live is what there is. */
void run_end(struct run *run);

/* Frames are marked from now on, if that was asked for and can be; why it cannot is told. Once in a program. */
void run_begin_marking(struct run *run);

/* A line that opprobe(1) prints, if it has started the program: @a @b, and error @n if that is not 0. */
void run_tell(const struct run *run, const char *a, const char *b, long n);

/* $OPPROBE, @text, is wrong from @wrong on: a line on stderr, as this is who writes it himself. */
void run_tell_wrong(const char *text, size_t wrong);

#endif
