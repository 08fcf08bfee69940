// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profil.c -- samples by profil(3): the C library's own handler counts, in the program's own code only.
 *
 * Its counters are taken as 32-bit ones, which are full after a year: they would begin anew, where ours stay.
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
#include "probe/pc/pct.h"
#include "probe/pc/run.h"
#include "probe/wrap/hooks.h"

#define WIDTH	4

static struct pc_run run;
static bool is_begun, is_child;
static unsigned int outside;		/* samples in no region, which the C library's handler counts */

/* As the C library's handler, of all that is not in the program's own code too. */
static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	pc_run_sample(&run, arch_pc(context), 1);
}

/* As the C library has it: each tick of the kernel. */
static int set_timer(long us)
{
	const struct itimerval timer = { { 0, us }, { 0, us } };

	return setitimer(ITIMER_PROF, &timer, NULL) ? -errno : 0;
}

/* The C library's own begins once in a program: it frees what it has when it ends, and frees that again when it is asked for anything
 * after that. So it never ends here, but for its timer; and in a child, whose counters lie elsewhere, a handler of ours counts. */
static int start(struct pc_run *r)
{
	struct pc_region *region = r->file.regions;
	struct prof where[2];
	int err;

	if (!region)
		return -ENOENT;
	if (is_child || is_begun)
		return (is_child ? pc_action_set(SIGPROF, on_tick) : 0) ?: set_timer(1);
	/* The handler is not ours, and does not know a page without room. */
	err = pc_region_reserve(region);
	if (err)
		return err;
	where[0] = (struct prof){
		.pr_base = region->counters, .pr_size = region->record->nr_bins * WIDTH, .pr_off = region->start,
		.pr_scale = 65536UL * WIDTH / region->bin,
	};
	where[1] = (struct prof){ .pr_base = &outside, .pr_size = sizeof(outside), .pr_scale = 2 };
	is_begun = true;
	return sprofil(where, 2, NULL, PROF_UINT) ? -errno : 0;
}

/* All that the handler has counted since the file was made. */
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
	set_timer(0);
	if (!is_child && r->file.regions)
		sum_up(r->file.regions, r->file.header);
}

static const struct pc_collector profil_collector = {
	.name = "profil", .main_only = true, .width = WIDTH, .least_bin = WIDTH, .by_tick = true, .start = start, .stop = stop,
};

void pct_on(void)
{
	pc_run_on(&run, &profil_collector, environ);
}

void pct_off(void)
{
	pc_run_off(&run);
}

void hook_before_exec(long kept[4])
{
	(void)kept;
	if (__atomic_load_n(&run.is_on, __ATOMIC_RELAXED) && run.pid == getpid())
		stop(&run);
}

void hook_exec_failed(const long kept[4])
{
	(void)kept;
	if (__atomic_load_n(&run.is_on, __ATOMIC_RELAXED) && run.pid == getpid())
		start(&run);
}

void hook_unloading(void)
{
}

void hook_unloaded(void)
{
}

/* A child of vfork() has what its parent has. */
void hook_filters(bool kills)
{
	if (run.file.header && run.pid != getpid())
		return;
	pc_run_end(&run);
	if (kills)
		pc_names_forget_variable(environ, "PCT");
}

static void forked(void)
{
	is_child = is_child || is_begun;
	pc_run_forked(&run, environ);
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
