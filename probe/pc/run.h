/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one process being sampled: from $PCT to a file, and the end of that.
 *
 * One thread at a time begins and ends a run. Handlers see a run whose .is_on is set, and are told of its end before the
 * file goes.
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

/* A way to get samples: one to a library. */
struct pc_collector {
	const char *name;		/* as messages begin; NULL: there are none */
	bool main_only;			/* sees the program's own code only */
	uint32_t width, least_bin;	/* 0: any */
	bool by_tick;			/* of the kernel, not as asked for */
	int (*start)(struct pc_run *run);	/* 0 or negative errno */
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
	bool is_inert;		/* what was asked for cannot be; never again */
	int error;		/* for which it cannot; negative errno */
	long pid;		/* whose run it is; 0: none has begun */
	int is_on;		/* atomic: samples are taken */
	int inside;		/* atomic: handlers that look at it */
	uint64_t random;
	uint64_t began_ns;	/* of the clock; samples are taken since then */
	uint64_t signals;	/* atomic: signals that brought samples */
	enum raw_pct_driver driver;
	int is_late;		/* atomic: the first sample makes the file */
	int opening;		/* atomic: a handler is making the file */
	char path[PC_PATH];	/* path of the file while it is made, because a handler's stack has no room for it */
};

/* By $PCT, if that is set: at the program's beginning. */
void pc_run_begin(struct pc_run *run, const struct pc_collector *collector, char **environ);

/* On and off; begins when none has. */
void pc_run_on(struct pc_run *run, const struct pc_collector *collector, char **environ);
void pc_run_off(struct pc_run *run);

/* At the program's end: the file is closed and added to the sum. */
void pc_run_end(struct pc_run *run);

/* Begin a new run in a child of fork(). Its file is made at the first sample, because many children only call exec(). */
void pc_run_forked(struct pc_run *run);

/* A sample, as @weight of them. Any thread's handler. */
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

/* How many quanta to the next sample: one, or at random. */
uint64_t pc_run_gap(struct pc_run *run);

#endif
