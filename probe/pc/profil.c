// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profil.c -- the collector of address samples in libprofil.so and profil.o. The signal handler of
 * the C library's profil(3) counts the samples, only in the program's own code.
 *
 * The C library's 32-bit counters wrap around after a year of samples.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "probe/arch/context.h"
#include "probe/linux/calls.h"
#include "probe/pc/action.h"
#include "probe/pc/here.h"
#include "probe/pc/pct.h"
#include "probe/pc/run.h"
#include "probe/pc/timers.h"

#define WIDTH	4

/* The run of this process. Static, because signal handlers and profil(3) have no parameter to pass
 * it. */
static struct pc_run run;
static struct pc_timers timers;
static bool is_begun, is_child;
/* number of samples outside of the program's code; incremented by the C library's handler */
static unsigned int outside;
static pc_handler counts;		/* signal handler of the C library's profil(3) */

/* Handle a sample signal by the C library's handler. In a child process, that handler would
 * increment the parent's counters, so call pc_run_sample() there, which also counts samples outside
 * of the program's own code. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	if (!pc_timers_periods(&timers, info))
		return;
	if (is_child) {
		pc_run_sample(&run, arch_pc(context), 1);
	} else {
		pc_run_count_signal(&run);
		counts(sig, info, context);
	}
}

/* Call the C library's sprofil() to set its counters and to find its signal handler. Then stop
 * the timer that the C library has started, because it would continue after exec(). */
static int begin_profil(const struct pc_region *region)
{
	static const struct itimerval never;
	struct prof where[2];
	long err;

	where[0] = (struct prof){
		.pr_base = region->counters,
		.pr_size = region->record->nr_bins * WIDTH,
		.pr_off = region->start,
		.pr_scale = 65536UL * WIDTH / region->bin,
	};
	where[1] = (struct prof){ .pr_base = &outside, .pr_size = sizeof(outside), .pr_scale = 2 };
	err = sprofil(where, 2, NULL, PROF_UINT) ? -errno : 0;
	if (!err)
		err = setitimer(ITIMER_PROF, &never, NULL) ? -errno : 0;
	return err ?: pc_action_get(SIGPROF, &counts);
}

/*
 * Start sampling. The function calls the C library's profil() once per process and never stops it,
 * because stopping it twice would free its memory twice. To stop sampling, only the timers are
 * stopped. In a child process, samples are counted without the C library.
 */
static int start(struct pc_run *r)
{
	struct pc_region *region = r->file.regions;
	long err = 0;

	if (!is_child && !is_begun) {
		if (!region)
			return -ENOENT;
		/* Allocate disk space for all counters, because the C library's handler would
		 * crash at a page without disk space. */
		err = pc_region_reserve(region);
		if (!err)
			err = begin_profil(region);
		is_begun = !err;
	}
	if (!err)
		err = pc_action_set(SIGPROF, on_signal);
	if (err)
		return err;
	pc_run_set_driver(r, RAW_PCT_BY_TIMER, r->words.clock);
	return pc_timers_start(&timers, RAW_PCT_PROF, SIGPROF, false, pc_run_quantum_ns(r), 0);
}

/* Compute the totals in the file's header from the counters that the C library's handler has
 * incremented. */
static void sum_up(const struct pc_region *region, struct raw_pct_header *header)
{
	const uint32_t *counters = (const uint32_t *)region->counters;
	uint64_t sum = outside;

	for (uint64_t i = 0; i < region->record->nr_bins; i++)
		sum += counters[i];
	header->lost[RAW_PCT_OTHER] = outside;
	header->taken = sum;
}

static void stop(struct pc_run *r)
{
	pc_timers_stop(&timers);
	if (!is_child && r->file.regions)
		sum_up(r->file.regions, r->file.header);
}

struct pc_run *pc_here(void)
{
	return &run;
}

static const struct pc_collector profil_collector = {
	.name = "profil",
	.main_only = true,
	.width = WIDTH,
	.least_bin = WIDTH,
	.by_tick = true,
	.start = start,
	.stop = stop,
};

void pc_here_on(char **environment)
{
	pc_run_on(&run, &profil_collector, environment);
}

void pct_on(void)
{
	pc_here_on(environ);
}

void pct_off(void)
{
	pc_run_off(&run);
}

static void forked(void)
{
	is_child = is_child || is_begun;
	pc_timers_forget(&timers);
	pc_run_forked(&run);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, forked);
	pc_run_begin(&run, &profil_collector, environ);
}

__attribute__((destructor)) static void end(void)
{
	pc_run_end(&run);
}
