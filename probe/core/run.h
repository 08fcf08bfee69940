/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- a run: the counts of one process and their files, from choosing a free file name to
 * writing the .csp file.
 *
 * struct place has the functions that differ between the preloaded library (preloaded/) and a
 * static program with the probe linked in (linked/).
 */
#ifndef PROBE_CORE_RUN_H
#define PROBE_CORE_RUN_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/csp.h"
#include "libop/raw/probe_words.h"
#include "probe/base/fd.h"
#include "probe/base/names.h"
#include "probe/core/heap.h"
#include "probe/core/state.h"

/*
 * Metrics that the program counts itself by the functions of opprobe.h. Their ids are indexes in
 * .metrics, after the ids of the events' metrics. An id is never reused for another metric. Nodes
 * of new epochs have no count for a deleted metric. If the program creates a deleted metric again,
 * the metric gets its old id and a count.
 */
struct user_metrics {
	/* lock of all members; atomic; .live can be read without the lock */
	int lock;
	uint32_t nr;			/* number of ids that were ever used */
	/* maximum of .nr, set by the program; 0: limited only by the size of .metrics */
	uint32_t max;
	uint64_t live;			/* atomic: bit n is set if metric n is being counted */
	/* metrics, indexed by id; the elements for metrics of events are not used */
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
};

struct run {
	long pid;			/* id of the process to which the run belongs; 0: no run */
	/* the process was created by fork() while its parent was sampled */
	bool is_child;
	struct names names;
	struct raw_probe_words words;
	/* number of events at the start of the run; the metrics of events added later are in
	 * .user */
	uint32_t nr_first;
	struct fd file;
	/* number in the names of the run's files; 0: the names have no number */
	unsigned int turn;
	struct arena_file arena_file;
	struct arena arena;
	uint32_t record;		/* reference to the run's struct raw_live_run */
	/* rate data of the run, except .cpu_ns; copied to struct raw_live_run; a child process
	 * inherits it */
	struct raw_live_rate rate;
	/* CPU time of the process when sampling was last started or resumed, in ns */
	uint64_t before_ns;
	uint64_t sampled_ns;		/* CPU time for which the process was sampled before
					 * .before_ns, in ns */
	bool is_paused;	/* counting of the sampled CPU time (.sampled_ns) is paused */
	/* index of the metric that counts crashes. Only the metric of returns and the program's own
	 * metrics have higher indexes */
	uint32_t crashes;
	/* metrics that the program counts itself; a child process inherits them */
	struct user_metrics user;
	/* opprobe_stop() was called; atomic; a child process inherits this member */
	bool is_stopped;
	struct epochs epochs;
	struct states states;
	struct named named;
	/* bit mask of the user's names for which code was found in modules; see .met of struct
	 * named */
	uint32_t met;
	struct heap heap;
	/* filter of the heap blocks, FILTER_SIZE words; see struct heap */
	uint32_t *filter;
	/* functions that differ between the library and the static object */
	const struct place *place;
	struct raw_csp_out out;
};

static inline struct raw_live_run *run_record(struct run *run)
{
	return arena_at(&run->arena, run->record);
}

/* Remove the .csp.live file if nothing was counted, because the process is about to call exec().
 * If exec() fails, the run continues to write to the removed file. */
void run_drop_empty(struct run *run);

/* Start a run: create the .csp.live file and the thread states of this process. The caller sets
 * .names, .words, .filter and .place first. Return 0 or a negative errno. */
int run_open(struct run *run);

/* Start the rate clock: it measures the CPU time during which samples are taken (struct
 * raw_live_rate). */
void run_rate_begins(struct run *run);
/* Pause the clock that measures the CPU time during which samples are taken. Idempotent. */
void run_rate_pauses(struct run *run);
void run_rate_goes_on(struct run *run);
/* Store the sampled CPU time in the .csp.live file, because the program may be killed. */
void run_rate_noted(struct run *run);

/* Count a sample or call of a thread without a state as lost. */
void run_lost_sample(struct run *run);
void run_lost_call(struct run *run);

/* Return the index of the first metric of event @name, or a negative number if the event was not
 * requested. */
int run_metric(const struct run *run, const char *name);

/*
 * Check whether the events of @words can be added. Skip events that are already counted. Return 0;
 * -ENOTSUP if @words has an event that the program counts itself, or if the program has metrics of
 * its own; -EEXIST if an event is already counted with another period; or -ENOSPC.
 */
int run_check_events(struct run *run, const struct raw_probe_words *words);

/* Return the index that run_add_events() will assign to the first metric of event @i of @words. The
 * event must not be counted yet. */
uint32_t run_new_metric(const struct run *run, const struct raw_probe_words *words, uint32_t i);

/* Add the events of @words that are not counted yet. Counting must be stopped, and
 * run_check_events() must have returned 0 for @words. */
void run_add_events(struct run *run, const struct raw_probe_words *words);

/* Return the number of the events' metrics, without the metrics that the program counts itself. */
static inline uint32_t run_nr_metrics(const struct run *run)
{
	return run->crashes + 1 + (run->words.marks && run->words.returns != RAW_PROBE_RETURNS_OFF);
}

/* Set the zeroed name of @metric to @name, truncated if necessary. */
void run_name_metric(struct raw_live_metric *metric, const char *name);

/* End the run: write the .csp file, then remove the .csp.live file. If the .csp file cannot be
 * written, keep the .csp.live file. */
void run_end(struct run *run);

/* Start using markers (marker.h) if the options request them. On failure, report the cause. Called
 * once per process. */
void run_begin_marking(struct run *run);

/* Send a message to opprobe(1), which prints it: the texts @a and @b, and the error @n unless it is
 * 0. If opprobe(1) is not running, discard the message. */
void run_report(const struct run *run, const char *a, const char *b, long n);

/*
 * Print on stderr that $OPPROBE, whose value is @text, has a syntax error at offset @wrong.
 * opprobe(1) writes only valid values. So the user has set the variable, and there is no opprobe(1)
 * that could print the message.
 */
void run_report_syntax(const char *text, size_t wrong);

struct epochs;
struct run;

struct place {
	/* Store the address range of the probe's code. Return false if the range is unknown. */
	bool (*find_code)(const struct epochs *epochs, uint64_t *start, uint64_t *end);
	/* Warn about options of $OPPROBE that are not supported by this kind of probe. */
	void (*check)(const struct run *run);
	/* Handle a module that was loaded after the first epoch (epoch.h). May be called in signal
	 * handlers. */
	void (*module_loaded)(uint64_t base, const ElfW(Phdr) *headers, size_t nr);
	/* whether opprobe_start() may start the probe if $OPPROBE is not set */
	bool starts_by_call;
};

extern const struct place place;

#endif
