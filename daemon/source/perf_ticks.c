// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_ticks.c -- the timer by which the daemon reads the rings of perf_events. */
#include "config.h"
#include "daemon/source/perf_ticks.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SECOND_MS	1000
/* How often per second the timer expires if only a few processes are sampled. The daemon then reads
 * fork, exec and mmap records more often, because a program's file may be deleted as soon as the
 * program has run. */
#define TICKS_OF_FEW	10
/* time in ms for which the timer stays quick after the last file that needed it */
#define QUICK_MS	60000

static int set_period(struct opd_perf_ticks *t, uint64_t ms)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000),
	};
	const struct itimerspec tick = { .it_value = time, .it_interval = time };

	if (timerfd_settime(t->fd, 0, &tick, NULL))
		return -errno;
	t->period_ms = ms;
	return 0;
}

static uint64_t usual_period(const struct opd_perf_ticks *t)
{
	return SECOND_MS / (t->few ? TICKS_OF_FEW : 1);
}

int opd_perf_ticks_open(struct opd_perf_ticks *t, bool few)
{
	*t = (struct opd_perf_ticks){ .few = few };
	t->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return t->fd < 0 ? -errno : set_period(t, usual_period(t));
}

void opd_perf_ticks_close(struct opd_perf_ticks *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

bool opd_perf_ticks_read(struct opd_perf_ticks *t)
{
	uint64_t expirations;

	if (read(t->fd, &expirations, sizeof(expirations)) <= 0)
		return false;
	t->elapsed_ms += expirations * t->period_ms;
	if (t->elapsed_ms < SECOND_MS)
		return false;
	t->elapsed_ms = 0;
	return true;
}

void opd_perf_ticks_adapt(struct opd_perf_ticks *t, size_t nr_apart, uint64_t now_ms)
{
	uint64_t period;

	if (nr_apart != t->nr_apart)
		t->quick_until_ms = now_ms + QUICK_MS;
	t->nr_apart = nr_apart;
	period = now_ms < t->quick_until_ms ? SECOND_MS / OPD_QUICK_TICKS : usual_period(t);
	/* If the timer cannot be set, it keeps its period. */
	if (period != t->period_ms)
		set_period(t, period);
}
