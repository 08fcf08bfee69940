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
#define QUICK_PERIOD_MS	(SECOND_MS / OPD_QUICK_TICKS)
/* maximum time in ms that the timer may be quick at once, and the share of the time that it earns:
 * the budget is full again after an hour */
#define BUDGET_MS	(OPD_QUICK_MINUTES * 60000ull)
#define EARN_SHARE	(60 / OPD_QUICK_MINUTES)

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
	*t = (struct opd_perf_ticks){ .few = few, .budget_ms = BUDGET_MS };
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

/* Subtract the time since the last call from the budget if the timer was quick; otherwise add the
 * earned share of the time. */
static void update_budget(struct opd_perf_ticks *t, uint64_t now_ms)
{
	uint64_t elapsed = t->updated_ms ? now_ms - t->updated_ms : 0;

	t->updated_ms = now_ms;
	if (t->period_ms == QUICK_PERIOD_MS) {
		t->budget_ms -= elapsed < t->budget_ms ? elapsed : t->budget_ms;
		return;
	}
	t->earned_ms += elapsed;
	t->budget_ms += t->earned_ms / EARN_SHARE;
	t->earned_ms %= EARN_SHARE;
	if (t->budget_ms > BUDGET_MS)
		t->budget_ms = BUDGET_MS;
}

void opd_perf_ticks_adapt(struct opd_perf_ticks *t, struct opd_files_apart apart, uint64_t now_ms)
{
	bool opened = apart.opened != t->apart.opened, missed = apart.missed != t->apart.missed;
	bool is_quick = now_ms < t->quick_until_ms;
	uint64_t period = usual_period(t);

	update_budget(t, now_ms);
	/* Missed files do not extend the time: quick reads may open nothing. */
	if (is_quick ? opened : (opened || missed) && t->budget_ms >= QUICK_MS)
		t->quick_until_ms = now_ms + QUICK_MS;
	t->apart = apart;
	if (!t->budget_ms)
		t->quick_until_ms = now_ms;
	if (now_ms < t->quick_until_ms)
		period = QUICK_PERIOD_MS;
	/* If the timer cannot be set, it keeps its period. */
	if (period != t->period_ms)
		set_period(t, period);
}
