// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vperf.c -- the driver that samples by virtual counters of libvperf: by vperfctr.ko if it is
 * loaded, otherwise by perf_events.
 *
 * The driver is in a library of its own together with libvperf, so that libopprobe.so does not
 * depend on libvperf. The library is preloaded if an event of this driver is requested. A thread
 * has one sampler for all events of this driver, stored in the data of the first event. A counter
 * overflow stops all counters of the sampler. The driver restarts the counters after the sample was
 * counted, so that events in the signal handler are not counted. If the process ends before the
 * restart, the counters do not overflow again.
 */
#include "config.h"
#include "probe/driver/driver.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "libvperf/sampler.h"

static bool is_own(const struct driver_run *run)
{
	return run->driver == &opprobe_vperf_driver;
}

static int thread_init(const struct driver_run *run, struct driver_thread *thread)
{
	const struct driver_run *runs = run->set->runs;
	struct driver_thread *threads = thread - (run - runs);
	const char *events[DRIVER_EVENTS];
	char user[DRIVER_EVENTS][RAW_PROBE_NAME + 2];
	uint64_t periods[DRIVER_EVENTS];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < run->set->nr; i++) {
		size_t len = 0;

		if (!is_own(&runs[i]))
			continue;
		if (&runs[i] < run)
			return 0;
		while (runs[i].event[len]) {
			user[nr][len] = runs[i].event[len];
			len++;
		}
		__builtin_memcpy(user[nr] + len, ":u", 3);
		events[nr] = user[nr];
		periods[nr++] = runs[i].period;
		threads[i].run = &runs[i];
	}
	return vperf_sampler_start(&thread->sampler, events, periods, nr, run->signal, VPERF_HIGH,
				   NULL, 0);
}

/* Free the sampler without stopping it. In a child of fork() this only closes the inherited
 * descriptors. */
static void forget(struct driver_thread *thread)
{
	struct vperf_sampler *sampler = thread->sampler;

	thread->sampler = NULL;
	vperf_sampler_stop(sampler);
}

/* Suspend the sampler before freeing it: later, a signal of the sampler could not be recognized. */
static void thread_fini(struct driver_thread *thread)
{
	if (thread->sampler)
		vperf_sampler_suspend(thread->sampler);
	forget(thread);
}

/* Return whether @thread is the data of the calling thread, because only this thread may use the
 * sampler. */
static bool is_here(const struct driver_thread *thread)
{
	return thread->sampler && syscall(SYS_gettid) == (long)thread->tid;
}

static void suspend(struct driver_thread *thread)
{
	if (is_here(thread))
		vperf_sampler_suspend(thread->sampler);
}

static void resume(struct driver_thread *thread)
{
	if (is_here(thread))
		vperf_sampler_resume(thread->sampler);
}

/*
 * Return whether the signal @info comes from this sampler. Also accept overflow signals of
 * vperfctr.ko's counters that do not belong to the sampler: a child of fork() inherits running
 * counters until the kernel module is notified.
 */
static bool knows(struct driver_thread *thread, const siginfo_t *info)
{
	struct driver_thread *t = thread;
	uint32_t mask;

	if (!thread->sampler)
		return false;
	mask = vperf_sampler_decode(thread->sampler, info);
	thread->is_told |= mask != 0;
	for (const struct driver_run *run = thread->run; mask; run++, t++)
		if (is_own(run)) {
			t->has_overflowed |= mask & 1;
			mask >>= 1;
		}
	return thread->is_told || info->si_code == VPERFCTR_SI_PMC_OVF;
}

static uint64_t take(struct driver_thread *thread, const siginfo_t *info)
{
	bool has_overflowed = thread->has_overflowed;

	(void)info;
	thread->has_overflowed = false;
	return has_overflowed;
}

static void taken(struct driver_thread *thread)
{
	bool is_told = thread->is_told;

	thread->is_told = false;
	if (is_told && thread->sampler)
		vperf_sampler_resume(thread->sampler);
}

const struct driver opprobe_vperf_driver = {
	.name = "vperf",
	.allocates = true,
	.thread_init = thread_init,
	.thread_fini = thread_fini,
	.forget = forget,
	.suspend = suspend,
	.resume = resume,
	.knows = knows,
	.take = take,
	.taken = taken,
};
