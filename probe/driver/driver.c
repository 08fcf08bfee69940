// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * driver.c -- the table of drivers (sources of sample signals), and operations on sets of drivers.
 */
#include "config.h"
#include "probe/driver/driver.h"

#include "probe/linux/calls.h"

const struct driver *const drivers[RAW_PROBE_NR_DRIVERS] = {
	[RAW_PROBE_PERF] = &driver_perf,
	[RAW_PROBE_CPUTIME] = &driver_cputime,
	[RAW_PROBE_ITIMER] = &driver_itimer,
	[RAW_PROBE_MONOTONIC] = &driver_monotonic,
};

const struct driver *driver_by(enum raw_probe_by by)
{
	return by == RAW_PROBE_BY_WALL	  ? &driver_wall
	       : by == RAW_PROBE_BY_VPERF ? &opprobe_vperf_driver
					  : &driver_perf;
}

bool driver_is_ours(const struct driver_set *set, struct driver_threads *threads,
		    const siginfo_t *info)
{
	for (uint32_t i = 0; info->si_code == SI_TIMER && i < set->nr; i++)
		if (info->si_value.sival_ptr == &set->runs[i])
			return true;
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		return info->si_code == SI_KERNEL;
	/*
	 * The signal comes from a descriptor, such as that of a perf event. The signal is a sample
	 * if the thread's data contains this descriptor. If the thread has no data, its sampling
	 * ended while the signal was blocked: accept the signal.
	 */
	for (uint32_t i = 0; threads && i < set->nr; i++) {
		const struct driver *driver = set->runs[i].driver;

		if (driver->knows ? driver->knows(&threads->of[i], info)
				  : info->si_fd == threads->of[i].fd)
			return true;
	}
	return !threads;
}

static struct driver_thread without_event(uint32_t tid)
{
	return (struct driver_thread){ .fd = -1, .timer = -1, .tid = tid };
}

void driver_threads_init(struct driver_threads *threads, uint32_t tid)
{
	threads->tid = tid;
	for (size_t i = 0; i < DRIVER_EVENTS; i++)
		threads->of[i] = without_event(tid);
}

void driver_set_fini(const struct driver_set *set, uint32_t first)
{
	for (uint32_t i = first; i < set->nr; i++)
		if (set->runs[i].driver->fini)
			set->runs[i].driver->fini();
}

int driver_set_init(const struct driver_set *set, uint32_t first)
{
	int err = 0;

	for (uint32_t i = first; i < set->nr && !err; i++)
		if (set->runs[i].driver->init)
			err = set->runs[i].driver->init(&set->runs[i]);
	if (err)
		driver_set_fini(set, first);
	return err;
}

void driver_threads_end(const struct driver_set *set, struct driver_threads *threads)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->runs[i].driver->thread_fini)
			set->runs[i].driver->thread_fini(&threads->of[i]);
}

int driver_threads_begin(const struct driver_set *set, struct driver_threads *threads)
{
	bool is_new[DRIVER_EVENTS];
	int err = 0;

	for (uint32_t i = 0; i < set->nr; i++)
		is_new[i] = !threads->of[i].run;
	for (uint32_t i = 0; i < set->nr && !err; i++)
		if (is_new[i])
			err = set->runs[i].driver->thread_init(&set->runs[i], &threads->of[i]);
	for (uint32_t i = 0; err && i < set->nr; i++)
		if (is_new[i]) {
			if (set->runs[i].driver->thread_fini)
				set->runs[i].driver->thread_fini(&threads->of[i]);
			threads->of[i] = without_event(threads->tid);
		}
	return err;
}

void driver_threads_forget(const struct driver_set *set, struct driver_threads *threads)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->runs[i].driver->forget)
			set->runs[i].driver->forget(&threads->of[i]);
}

void driver_threads_suspend(const struct driver_set *set, struct driver_threads *threads)
{
	for (uint32_t i = 0; i < set->nr; i++)
		set->runs[i].driver->suspend(&threads->of[i]);
}

void driver_threads_resume(const struct driver_set *set, struct driver_threads *threads)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (threads->of[i].run)
			set->runs[i].driver->resume(&threads->of[i]);
}

const struct driver_run *driver_threads_take(const struct driver_set *set,
					     struct driver_threads *threads, const siginfo_t *info,
					     uint32_t *i, uint64_t *weight)
{
	while (*i < set->nr) {
		const struct driver_run *run = &set->runs[*i];

		*weight = run->driver->take(&threads->of[(*i)++], info);
		if (*weight)
			return run;
	}
	return NULL;
}

void driver_threads_taken(const struct driver_set *set, struct driver_threads *threads)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->runs[i].driver->taken)
			set->runs[i].driver->taken(&threads->of[i]);
}

uint64_t driver_threads_drop(const struct driver_set *set, struct driver_threads *threads,
			     uint64_t mask)
{
	uint64_t none[2] = { 0, 0 }, weight, sum = 0;
	siginfo_t info;

	while (arch_call(SYS_rt_sigtimedwait, (long)&mask, (long)&info, (long)none, sizeof(mask), 0,
			 0) > 0) {
		uint32_t i = 0;

		driver_is_ours(set, threads, &info);
		while (driver_threads_take(set, threads, &info, &i, &weight))
			sum += weight;
		driver_threads_taken(set, threads);
	}
	return sum;
}

bool driver_set_allocates(const struct driver_set *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->runs[i].driver->allocates)
			return true;
	return false;
}
