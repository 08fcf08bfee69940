// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profil.c -- samples by profil(3): the C library's own handler counts, in the program's own code only.
 *
 * Its counters are taken as 32-bit ones, which are full after a year: they would begin anew, where ours stay.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sys/profil.h>
#include <unistd.h>

#include "probe/pc/pct.h"
#include "probe/pc/run.h"
#include "probe/wrap/hooks.h"

#define WIDTH	4

static struct pc_run run;

static int start(struct pc_run *r)
{
	struct pc_region *region = r->file.regions;
	struct prof where;
	int err;

	if (!region)
		return -ENOENT;
	/* The handler is not ours, and does not know a page without room. */
	err = pc_region_reserve(region);
	if (err)
		return err;
	where = (struct prof){
		.pr_base = region->counters, .pr_size = region->record->nr_bins * WIDTH, .pr_off = region->start,
		.pr_scale = 65536UL * WIDTH / region->bin,
	};
	return sprofil(&where, 1, NULL, PROF_UINT) ? -errno : 0;
}

static void stop(struct pc_run *r)
{
	(void)r;
	sprofil(NULL, 0, NULL, 0);
}

static const struct pc_collector profil_collector = {
	.name = "profil", .main_only = true, .width = WIDTH, .least_bin = WIDTH, .quantum_ns = 10000000, .start = start,
	.stop = stop,
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
