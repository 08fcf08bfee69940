// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * driver.c -- selects the probe's driver (the source of its sampling signals) if the user has not
 * chosen one.
 *
 * The probe would select the same driver, but would print the reason in each process.
 */
#include "config.h"
#include "utils/opprobe/driver.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/perf/open.h"
#include "libvperf/vperf.h"

/* Try to open the perf event of the probe. @with_kernel: count kernel mode, too, not only user
 * mode. Return 0 or a negative errno. */
static int try_perf(const struct raw_probe_perf *perf, bool with_kernel)
{
	struct perf_event_attr attr = {
		.type = perf->type,
		.size = sizeof(attr),
		.config = perf->config,
		.config1 = perf->config1,
		.sample_period = 1000000,
		.disabled = 1,
		.exclude_kernel = !with_kernel,
		.exclude_hv = 1,
	};
	int fd = op_perf_open(&attr, 0, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static const char *reason(int err)
{
	switch (err) {
	case -EACCES:
		return "/proc/sys/kernel/perf_event_paranoid is above 2";
	case -EPERM:
		return "by seccomp, as in containers, or by a security module";
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return "this machine has no counter for it; a virtual machine often has no counters";
	case -ENOSYS:
		return "this kernel or container does not offer it";
	default:
		return strerror(-err);
	}
}

/* Return the frequency of the kernel's tick in Hz. Timers of CPU time expire only at ticks, so this
 * is their maximum rate. */
static unsigned int ticks(void)
{
	struct timespec t;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &t) || t.tv_sec || !t.tv_nsec ?
		       1 :
		       1000000000 / t.tv_nsec;
}

/* Return the number of samples per second that the options request, or 0 if the options request
 * only counts of calls. */
static unsigned int rate_of(const struct raw_probe_words *words)
{
	for (uint32_t i = 0; i < words->nr_events; i++)
		if (words->events[i].kind->by == RAW_PROBE_BY_DRIVER)
			return 1000000000 / words->events[i].period;
	return words->nr_events ? 0 : 1000000000 / raw_probe_kind(0)->period;
}

static const struct raw_probe_perf cpu_clock = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0 };

void probe_driver_report_pc(unsigned int rate)
{
	int err = try_perf(&cpu_clock, true);
	const unsigned int hz = ticks();

	if (err && rate > hz)
		op_clean_printf(stderr, "opprobe: perf_event_open() is refused for kernel mode (%s), so timers sample: %u of %u times a "
				"second\n", err == -EACCES ? "for the full rate: sysctl kernel.perf_event_paranoid=1" : reason(err), hz, rate);
}

void probe_driver_choose(struct raw_probe_words *words)
{
	const unsigned int rate = rate_of(words), hz = ticks();
	int err = words->driver || !rate ? 0 : try_perf(&cpu_clock, false);

	if (!err)
		return;
	op_clean_printf(stderr, "opprobe: perf_event_open() is refused (%s), so cputime samples: %u of %u times a second\n",
			reason(err), rate < hz ? rate : hz, rate);
	words->driver = RAW_PROBE_CPUTIME;
	words->refused = -err;
}

/* Try to open all events of the driver vperf at the same time, as each thread of the command will
 * do. Return 0 or a negative errno with a message in @error. */
static int check_vperf(const struct raw_probe_words *words, struct op_reason *error)
{
	struct vperf *v = NULL;
	char user[RAW_PROBE_NAME + 2];
	int err = 0, nr = 0;

	for (uint32_t i = 0; i < words->nr_events && err >= 0; i++) {
		const struct raw_probe_event *event = &words->events[i];

		if (event->kind->by != RAW_PROBE_BY_VPERF)
			continue;
		snprintf(user, sizeof(user), "%s:u", raw_probe_vperf_name(event));
		err = nr++ ? 0 : vperf_open(&v, 0);
		if (!err)
			err = vperf_add(v, user);
		if (err < 0)
			op_fail(error, err, "cannot sample %s: %s", event->name, vperf_error(v));
	}
	vperf_close(v);
	return err < 0 ? err : 0;
}

int probe_driver_check(const struct raw_probe_words *words, struct op_reason *error)
{
	for (uint32_t i = 0; i < words->nr_events; i++) {
		const struct raw_probe_event *event = &words->events[i];
		const struct raw_probe_kind *kind = event->kind;
		bool is_perf = kind->by == RAW_PROBE_BY_PERF;
		int err = is_perf ? try_perf(&event->perf, false) : 0;

		if (err)
			return op_fail(error, err, "cannot sample %s: perf_event_open() is refused "
						   "(%s).%s", event->name,
				       reason(err), event->perf.type == PERF_TYPE_SOFTWARE ? "" :
				       " These events need no counter of the CPU: TIMER, WALL, page-faults, malloc, mmap, io.");
		if (raw_probe_by_signal(kind) && kind->by != RAW_PROBE_BY_DRIVER &&
		    words->driver == RAW_PROBE_ITIMER)
			return op_fail(error, -EINVAL, "option \"--driver\": itimer samples only "
						       "CPU time, not %s", event->name);
	}
	return check_vperf(words, error);
}
