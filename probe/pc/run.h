/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- sampling one process: from $PCT to a file, and its end.
 *
 * One thread at a time begins and ends a run. Handlers use a run only while .is_on is set, and its
 * end waits for them before the file is closed.
 */
#ifndef PROBE_PC_RUN_H
#define PROBE_PC_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/words.h"
#include "probe/pc/code.h"
#include "probe/pc/file.h"
#include "probe/pc/log.h"
#include "probe/pc/names.h"

struct pc_run;

/* A source of samples: one for each library. */
struct pc_collector {
	const char *name;		/* prefix of messages; NULL: print none */
	bool main_only;			/* samples only the program's own code */
	uint32_t width, least_bin;	/* 0: any */
	bool by_tick;			/* the period is the kernel's tick, not the requested one */
	int (*start)(struct pc_run *run);	/* return 0 or a negative errno */
	void (*stop)(struct pc_run *run);
};

struct pc_run {
	const struct pc_collector *collector;
	struct raw_pct_words words;
	struct pc_names names;
	struct pc_file file;
	struct pc_code code;
	struct pc_log log;
	bool has_log;
	bool is_inert;		/* the request cannot be fulfilled: never try again */
	int error;		/* the cause; negative errno */
	long pid;		/* the process that the run belongs to; 0: not begun */
	int is_on;		/* atomic: sampling is on */
	int inside;		/* atomic: number of handlers that use the run */
	uint64_t random;
	uint64_t began_ns;	/* time of the clock when sampling began */
	uint64_t signals;	/* atomic: number of signals with samples */
	enum raw_pct_driver driver;
	int is_late;		/* atomic: the first sample creates the file */
	int opening;		/* atomic: a handler is making the file */
	/* path of the file while it is made, because a handler's stack has no room for it */
	char path[PC_PATH];
};

/* Begin by $PCT if that is set. Called at the program's beginning. */
void pc_run_begin(struct pc_run *run, const struct pc_collector *collector, char **environ);

/* Switch sampling on, after beginning if necessary, and off. */
void pc_run_on(struct pc_run *run, const struct pc_collector *collector, char **environ);
void pc_run_off(struct pc_run *run);

/* End the run: close the file and add it to the sum. Called at the program's end. */
void pc_run_end(struct pc_run *run);

/* Begin a new run in a child of fork(). Its file is made at the first sample, because many
 * children only call exec(). */
void pc_run_forked(struct pc_run *run);

/* Count @weight samples at @at. For handlers of any thread. */
void pc_run_sample(struct pc_run *run, uintptr_t at, uint64_t weight);

/* Count a signal whose samples another handler counts. */
static inline void pc_run_count_signal(struct pc_run *run)
{
	__atomic_fetch_add(&run->signals, 1, __ATOMIC_RELAXED);
}

/* Set the source of the signals and the clock that it has. Collectors call it when they start. */
void pc_run_set_driver(struct pc_run *run, enum raw_pct_driver driver, enum raw_pct_clock clock);

/* Return the requested time between samples. */
static inline uint64_t pc_run_quantum_ns(const struct pc_run *run)
{
	return raw_pct_words_quantum_ns(&run->words);
}

/* Return the number of quanta to the next sample: one, or a random number. */
uint64_t pc_run_gap(struct pc_run *run);

#endif
