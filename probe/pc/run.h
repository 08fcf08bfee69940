/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- a run of a pc sample collector in one process: from parsing $PCT to closing the file.
 *
 * Only one thread at a time may start or end a run. Signal handlers use a run only while .is_on is
 * set, and the end of a run waits for them before it closes the file.
 */
#ifndef PROBE_PC_RUN_H
#define PROBE_PC_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/words.h"
#include "probe/base/names.h"
#include "probe/pc/code.h"
#include "probe/pc/file.h"
#include "probe/pc/log.h"

struct pc_run;

/* Functions and properties of a collector; each collector library has one instance. */
struct pc_collector {
	/* name of the collector, printed before messages; NULL: print no messages */
	const char *name;
	/* the collector samples only the program's own code, not libraries */
	bool main_only;
	/* .width: size of a counter in bytes that the collector requires; .least_bin: minimum
	 * number of bytes of code per counter; 0: any */
	uint32_t width, least_bin;
	/* whether samples are taken at the kernel's ticks instead of at the requested period */
	bool by_tick;
	/* Start sampling for the run. Return 0 or a negative errno. */
	int (*start)(struct pc_run *run);
	void (*stop)(struct pc_run *run);
};

struct pc_run {
	const struct pc_collector *collector;
	struct raw_pct_words words;
	struct names names;
	struct pc_file file;
	struct pc_code code;
	struct pc_log log;
	bool has_log;
	bool is_inert;		/* sampling failed in this process: do not try again */
	int error;		/* negative errno of the failure that set .is_inert */
	long pid;		/* id of the process to which the run belongs; 0: not started */
	bool is_on;		/* sampling is on; atomic */
	int inside;		/* number of signal handlers that are using the run now; atomic */
	uint64_t random;
	/* value, at the start of sampling, of the clock by which samples are taken */
	uint64_t began_ns;
	uint64_t signals;	/* number of signals that had samples; atomic */
	enum raw_pct_driver driver;
	bool is_late;		/* the file of the run is created at the first sample; atomic */
	bool opening;		/* a signal handler is creating the file of the run; atomic */
	/* buffer for paths and messages, because a signal handler's stack may be too small for a
	 * buffer */
	char path[FD_PATH];
};

/* Start sampling if $PCT is set. Called at the start of the program. */
void pc_run_begin(struct pc_run *run, const struct pc_collector *collector, char **environ);

/* Start sampling, creating the files if necessary, or stop sampling. */
void pc_run_on(struct pc_run *run, const struct pc_collector *collector, char **environ);
void pc_run_off(struct pc_run *run);

/* End the run: close the file and add it to the program's sum (sum.h). Called at the end of the
 * program. */
void pc_run_end(struct pc_run *run);

/* Start a new run in a child of fork(). Create the file of the child at its first sample,
 * because many children call exec() without a sample. */
void pc_run_forked(struct pc_run *run);

/* Count @weight samples at address @at. May be called in signal handlers of any thread. */
void pc_run_sample(struct pc_run *run, uintptr_t at, uint64_t weight);

/* Count a signal whose samples are counted by the C library's handler. */
static inline void pc_run_count_signal(struct pc_run *run)
{
	__atomic_fetch_add(&run->signals, 1, __ATOMIC_RELAXED);
}

/* Store in the file which driver sends the sample signals, and which clock it measures.
 * Collectors call this function when they start. */
void pc_run_set_driver(struct pc_run *run, enum raw_pct_driver driver, enum raw_pct_clock clock);

/* Return the requested time between samples, in ns. */
static inline uint64_t pc_run_quantum_ns(const struct pc_run *run)
{
	return raw_pct_words_quantum_ns(&run->words);
}

/* Return the number of quanta until the next sample: 1, or a random number if random gaps were
 * requested. */
uint64_t pc_run_gap(struct pc_run *run);

#endif
