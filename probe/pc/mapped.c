// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped.c -- the pc sample collector for a running static program: opattach(1) maps its code into
 * the program and calls it.
 *
 * The code is a memory image. Its header has the offsets of its parts (libop/raw/mapped.h). The
 * image is not relocated, so no variable may be initialized with an address. The collector uses
 * SIGURG unless the program has a handler for it. Processes ignore SIGURG by default, so a late
 * signal does no harm.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>

#include "libop/raw/mapped.h"
#include "probe/arch/context.h"
#include "probe/pc/action.h"
#include "probe/pc/run.h"
#include "probe/pc/timers.h"

#define WORDS	(FD_PATH + 64)

__attribute__((used)) static struct {
	struct raw_mapped_state state;
	/* not 0: a call of the collector is in progress, so another call does nothing */
	uint32_t is_busy;
	struct pc_run run;
	struct pc_collector collector;
	struct pc_timers timers;
	/* text "PCT=..."; a copy, because the caller's text is valid only during the call */
	char words[WORDS];
	/*
	 * An environment that contains only $PCT. The word before the environment is not a valid
	 * pointer. So a search for argv, which precedes an environment, fails, and the program's
	 * name is read from /proc.
	 */
	struct { uintptr_t none; char *variables[2]; } environ;
} mapped;

/* The header at the start of the memory image (see mapped.lds). */
__asm__(".pushsection .pct_head,\"a\",@progbits\n"
	".globl pct_head\n"
	".hidden pct_head, pct_data, pct_end\n"
	"pct_head:\n"
	"	.asciz \"" RAW_MAPPED_MAGIC "\"\n"
	"	.long 1\n"
	"	.long pct_data - pct_head\n"
	"	.long pct_end - pct_head\n"
	"	.long pct_mapped_on - pct_head\n"
	"	.long pct_mapped_off - pct_head\n"
	"	.long mapped - pct_head\n"
	".popsection");

_Static_assert(RAW_MAPPED_VERSION == 1 && sizeof(RAW_MAPPED_MAGIC) == 16, "as in the head above");

static void on_signal(int sig, siginfo_t *info, void *context)
{
	uint64_t weight = pc_timers_periods(&mapped.timers, info);

	(void)sig;
	mapped.state.missed = mapped.timers.missed;
	if (weight)
		pc_run_sample(&mapped.run, arch_pc(context), weight);
}

static int start(struct pc_run *run)
{
	pc_handler before = NULL;
	long err = pc_action_get(SIGURG, &before);
	enum raw_pct_clock clock;
	bool by_perf;

	if (!err && before && before != on_signal)
		err = -EBUSY;
	if (!err)
		err = pc_action_set(SIGURG, on_signal);
	if (err)
		return err;
	clock = run->words.clock;
	by_perf = !pc_timers_try_perf(&clock, !run->words.has_clock, pc_run_quantum_ns(run));
	pc_run_set_driver(run, by_perf ? RAW_PCT_BY_PERF : RAW_PCT_BY_TIMER, clock);
	err = pc_timers_start(&mapped.timers, clock, SIGURG, by_perf, pc_run_quantum_ns(run), 0);
	if (err)
		pc_action_set(SIGURG, NULL);
	return err;
}

/* Stop the clocks of all threads. Restore the default action of SIGURG unless the program has
 * changed it. */
static void stop(struct pc_run *run)
{
	pc_handler now = NULL;

	(void)run;
	pc_timers_stop(&mapped.timers);
	if (!pc_action_get(SIGURG, &now) && now == on_signal)
		pc_action_set(SIGURG, NULL);
}

/* Discard a run that was inherited from a parent process, because its clocks belong to the
 * parent; also discard a run without a file. */
static void forget(void)
{
	pc_timers_forget(&mapped.timers);
	pc_file_close(&mapped.run.file);
	__builtin_memset(&mapped.run, 0, sizeof(mapped.run));
	__builtin_memset(&mapped.timers, 0, sizeof(mapped.timers));
}

static void on(const char *words)
{
	if (mapped.run.pid != call_getpid() || !mapped.run.file.header)
		forget();
	__builtin_memcpy(mapped.words, "PCT=", 4);
	for (size_t i = 0; i < WORDS - 5 && words[i]; i++)
		mapped.words[4 + i] = words[i];
	mapped.environ.none = 1;
	mapped.environ.variables[0] = mapped.words;
	mapped.collector.start = start;
	mapped.collector.stop = stop;
	mapped.run.is_inert = false;
	mapped.run.error = 0;
	pc_run_on(&mapped.run, &mapped.collector, mapped.environ.variables);
	mapped.state.is_on = mapped.run.is_on;
	mapped.state.error = mapped.run.error;
	mapped.state.pid = mapped.run.file.header ? mapped.run.pid : 0;
	mapped.state.missed = mapped.timers.missed;
}

__attribute__((used)) static void pct_mapped_on(const char *words)
{
	if (__atomic_exchange_n(&mapped.is_busy, 1, __ATOMIC_ACQUIRE)) {
		mapped.state.error = -EBUSY;
		return;
	}
	on(words);
	__atomic_store_n(&mapped.is_busy, 0, __ATOMIC_RELEASE);
}

__attribute__((used)) static void pct_mapped_off(void)
{
	if (__atomic_exchange_n(&mapped.is_busy, 1, __ATOMIC_ACQUIRE))
		return;
	pc_run_off(&mapped.run);
	mapped.state.is_on = mapped.run.is_on;
	__atomic_store_n(&mapped.is_busy, 0, __ATOMIC_RELEASE);
}
