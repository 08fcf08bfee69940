// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user.c -- metrics that the program counts itself: the functions of opprobe.h.
 *
 * Call paths omit frames of the probe. So an argument @unwinds of 1 selects the caller, which is
 * the first frame outside of the probe; 2 selects the caller's caller, and so on.
 */
#include "config.h"

#include <errno.h>

#include "probe/arch/registers.h"
#include "probe/linux/calls.h"
#define OPPROBE_C
#include "probe/opprobe.h"
#include "probe/probe.h"
#include "probe/wrap/actions.h"

void opprobe_start(void)
{
	__atomic_store_n(&probe_run()->is_stopped, false, __ATOMIC_RELAXED);
	if (place.starts_by_call)
		probe_begin_once();
}

void opprobe_stop(void)
{
	__atomic_store_n(&probe_run()->is_stopped, true, __ATOMIC_RELAXED);
}

/* Enter the probe and lock the metrics for a change. After the first call of this function, the
 * program's signal handlers are deferred while a thread is in the probe. Return 0; -ENOSYS if the
 * probe is off; or -EBUSY if the thread is already in the probe. */
static int enter(struct run *run)
{
	struct state *s;

	if (!probe_is_on())
		return -ENOSYS;
	actions_defer();
	if (!probe_enter(&s))
		return -EBUSY;
	while (__atomic_exchange_n(&run->user.lock, 1, __ATOMIC_ACQUIRE))
		arch_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	return 0;
}

static void unlock(struct run *run)
{
	__atomic_store_n(&run->user.lock, 0, __ATOMIC_RELEASE);
	probe_leave();
}

static uint32_t first_id(const struct run *run)
{
	return run_nr_metrics(run);
}

static bool is_given(const struct run *run, int metric)
{
	return metric >= 0 && (uint32_t)metric >= first_id(run) &&
	       (uint32_t)metric - first_id(run) < run->user.nr;
}

static bool is_live(const struct run *run, int metric)
{
	return metric >= 0 &&
	       raw_live_has_column(__atomic_load_n(&run->user.live, __ATOMIC_ACQUIRE), metric);
}

/* If @is_live, let nodes of later epochs have a count for @metric; otherwise let them have none. */
static void set_live(struct run *run, int metric, bool is_live)
{
	uint64_t bit = 1ULL << metric, live = (run->user.live & ~bit) | (is_live ? bit : 0);

	__atomic_store_n(&run->user.live, live, __ATOMIC_RELEASE);
	__atomic_store_n(&run->epochs.columns, raw_live_columns(first_id(run)) | live,
			 __ATOMIC_RELEASE);
}

static int check_name(const char *name, uint64_t flags)
{
	if (!*name || (flags & ~(uint64_t)OPPROBE_ASYNC))
		return -EINVAL;
	return __builtin_strlen(name) < RAW_LIVE_NAME ? 0 : -ENAMETOOLONG;
}

/* Return the id of the metric named @name, which may be a metric of an event, or -ENOENT. */
static int find(struct run *run, const char *name)
{
	const struct raw_live_run *record = run_record(run);

	for (uint32_t i = 0; i < record->nr_metrics; i++)
		if (!__builtin_strcmp(record->metrics[i].event, name))
			return i;
	return -ENOENT;
}

/* Set the attributes of @metric, then start counting it. */
static void set(struct run *run, int metric, const char *name, uint64_t flags, uint64_t period)
{
	struct raw_live_metric *m = &run->user.metrics[metric];

	*m = (struct raw_live_metric){ .flags = flags, .period = period ? period : 1 };
	run_name_metric(m, name);
	run_record(run)->metrics[metric] = *m;
	set_live(run, metric, true);
}

/* Create a metric without a name. Return its id or -ENOSPC. */
static int reserve(struct run *run)
{
	uint32_t id = first_id(run) + run->user.nr;

	if (id >= RAW_LIVE_MAX_METRICS || (run->user.max && run->user.nr >= run->user.max))
		return -ENOSPC;
	run->user.metrics[id] = run_record(run)->metrics[id] =
		(struct raw_live_metric){.flags = RAW_LIVE_HIDDEN};
	run->user.nr++;
	__atomic_store_n(&run_record(run)->nr_metrics, id + 1, __ATOMIC_RELEASE);
	return id;
}

static int make(struct run *run, const char *name, uint64_t flags, uint64_t period)
{
	int metric = find(run, name);

	if (metric >= 0) {
		const struct raw_live_metric *m = &run->user.metrics[metric];

		if (!is_given(run, metric) || is_live(run, metric) || m->flags != flags ||
		    m->period != (period ? period : 1))
			return -EEXIST;
		set_live(run, metric, true);
		return metric;
	}
	metric = reserve(run);
	if (metric >= 0)
		set(run, metric, name, flags, period);
	return metric;
}

int opprobe_new_metric(const char *name, unsigned int flags, uint64_t period)
{
	struct run *run = probe_run();
	int ret = name ? check_name(name, flags) : 0;

	if (!ret)
		ret = enter(run);
	if (ret)
		return ret;
	ret = name ? make(run, name, flags, period) : reserve(run);
	unlock(run);
	return ret;
}

int opprobe_set_metric(int metric, const char *name, unsigned int flags, uint64_t period)
{
	struct run *run = probe_run();
	int ret = name ? check_name(name, flags) : -EINVAL;

	if (!ret)
		ret = enter(run);
	if (ret)
		return ret;
	if (!is_given(run, metric))
		ret = -EINVAL;
	else if (*run->user.metrics[metric].event)
		ret = -EBUSY;
	else if (find(run, name) >= 0)
		ret = -EEXIST;
	else
		set(run, metric, name, flags, period);
	unlock(run);
	return ret;
}

int opprobe_delete_metric(int metric)
{
	struct run *run = probe_run();
	int ret = enter(run);

	if (ret)
		return ret;
	if (is_live(run, metric))
		set_live(run, metric, false);
	else
		ret = -EINVAL;
	unlock(run);
	return ret;
}

int opprobe_set_max_metrics(int max)
{
	struct run *run = probe_run();
	int ret = enter(run);

	if (ret)
		return ret;
	if (max <= 0 || (uint32_t)max < run->user.nr)
		ret = -EINVAL;
	else if ((uint32_t)max > RAW_LIVE_MAX_METRICS - first_id(run))
		ret = -ENOSPC;
	else
		run->user.max = max;
	unlock(run);
	return ret;
}

/* Add @value to @metric at the call path of the thread with state @s. @s NULL: count the call as
 * lost. */
static int count(struct state *s, const void *context, int unwinds, int metric, uint64_t value)
{
	struct run *run = probe_run();
	bool is_sample = run->user.metrics[metric].flags & OPPROBE_ASYNC;

	if (!s) {
		if (is_sample)
			run_lost_sample(run);
		else
			run_lost_call(run);
		return -EAGAIN;
	}
	if (unwinds)
		epochs_wait_for_column(&run->epochs, metric, s->driver.tid);
	return state_record(&run->states, s, context, unwinds, metric, value, is_sample);
}

/* Return 0 if @metric may be counted now, 1 if counting is stopped, or a negative errno. */
static int check(int metric)
{
	if (!probe_is_on())
		return -ENOSYS;
	if (!is_live(probe_run(), metric))
		return -EINVAL;
	return probe_is_stopped();
}

int opprobe_record_with_unwind(int metric, uint64_t value, int unwinds)
{
	int ret = check(metric);
	struct state *s;
	ucontext_t here;

	if (ret || unwinds < 1)
		return ret < 0 ? ret : unwinds < 1 ? -EINVAL : 0;
	if (!probe_enter(&s))
		return -EBUSY;
	arch_here(&here);
	ret = count(s, &here, unwinds, metric, value);
	probe_leave();
	return ret;
}

int opprobe_record(int metric, uint64_t value)
{
	return opprobe_record_with_unwind(metric, value, 1);
}

int opprobe_sample_metric(int metric, uint64_t value, const void *context)
{
	int ret = check(metric);
	struct state *s;

	if (ret || !context)
		return ret < 0 ? ret : context ? 0 : -EINVAL;
	if (!probe_enter(&s))
		return -EBUSY;
	ret = count(s, context, 0, metric, value);
	probe_leave();
	return ret;
}

int opprobe_sample(const void *context)
{
	struct run *run = probe_run();
	uint64_t live;
	int ret = 0;

	if (!probe_is_on())
		return -ENOSYS;
	live = __atomic_load_n(&run->user.live, __ATOMIC_ACQUIRE);
	for (uint32_t i = first_id(run); i < RAW_LIVE_MAX_METRICS; i++) {
		int err = 0;

		if (raw_live_has_column(live, i) && (run->user.metrics[i].flags & OPPROBE_ASYNC))
			err = opprobe_sample_metric(i, 1, context);
		ret = err ? err : ret;
	}
	return ret;
}
