// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf.c -- the backend over perf_events, which needs no module.
 *
 * A task-clock event measures virtual time (perf_clock.h); the slots are a group of events
 * (perf_set.h). An overflow stops only the event that overflowed. The handler calls perf_overflow()
 * to learn which slots overflowed; perf_overflow() then stops the other events.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libvperf/perf_clock.h"
#include "libvperf/perf_set.h"
#include "libvperf/private.h"

#define NS_KHZ	1000000u
#define TRIES	8

/* An event that the thread's children inherit: it counts the thread and its children.
 * vperf_read_children() reports only the children's part of the count. */
struct perf_family {
	/* number to subtract from the inherited event's count, so that the count minus the thread's
	 * own count is the children's count */
	uint64_t others;
	struct vperf_count kept;	/* the children's count when counting was last stopped */
};

struct perf {
	struct perf_set set;
	struct perf_clock clock;
	/* descriptor of a task-clock event that children inherit; -1: children are not counted */
	int family_clock;
	uint64_t clock_base;	/* the clock's value when the counts were last set to 0 */
	/* mask of slots that perf_overflow() has reported; they are stopped until vperf_resume() */
	uint32_t pending;
	/* mask of slots whose second event is armed: it will stop at its next overflow, and must
	 * not be armed again */
	uint32_t armed_second;
	/* mask of slots that are armed: they will stop at their next overflow, and must not be
	 * armed again */
	uint32_t armed;
	volatile bool stops;	/* counting is being stopped, so an overflow handler must not
				 * resume it */
	/* events that children inherit: one for each slot; the last element is the clock */
	struct perf_family family[VPERF_MAX + 1];
};

static int perf_fd(const struct vperf *v)
{
	const struct perf *p = v->backend;

	return p->clock.fd;
}

static void set_view(struct vperf *v)
{
	const struct perf *p = v->backend;
	struct vperf_view *view = v->head.view;

	view->clock = v->started ? p->clock.page : NULL;
	view->clock_base = p->clock_base;
	for (unsigned int i = 0; i < VPERF_MAX; i++)
		view->pages[i] = i < p->set.nr ? p->set.slots[i].page : NULL;
}

/* ---- Opening and closing ---- */

static void describe_source(struct vperf *v)
{
	const struct perf *p = v->backend;

	snprintf(v->source, sizeof(v->source), "perf_events%s%s%s", *v->not_module ? ", as " : "",
		 v->not_module,
		 p->set.user_only ? "; user code only: kernel.perf_event_paranoid does not let "
				    "users count in the kernel" :
				    "");
}

static void perf_close(struct vperf *v)
{
	struct perf *p = v->backend;

	if (!p)
		return;
	memset(v->head.view, 0, sizeof(*v->head.view));
	perf_set_close(&p->set);
	perf_clock_release(&p->clock);
	if (p->family_clock >= 0)
		close(p->family_clock);
	free(p);
	v->backend = NULL;
}

static void perf_forget(struct vperf *v)
{
	struct perf *p = v->backend;

	perf_set_forget(&p->set);
	p->clock.page = NULL;
	perf_clock_release(&p->clock);
	if (p->family_clock >= 0)
		close(p->family_clock);
	free(p);
	v->backend = NULL;
}

static int perf_open(struct vperf *v)
{
	struct perf *p = calloc(1, sizeof(*p));
	int fd;

	if (!p)
		return -ENOMEM;
	p->family_clock = p->clock.fd = -1;
	v->backend = p;
	v->tsc_khz = NS_KHZ;
	describe_source(v);
	fd = perf_set_open_clock(v, false);
	if (fd < 0)
		return fd;
	perf_clock_init(&p->clock, fd, !v->tid);
	if (v->flags & VPERF_CHILDREN) {
		p->family_clock = perf_set_open_clock(v, true);
		if (p->family_clock < 0)
			return p->family_clock;
	}
	return 0;
}

static int perf_set(struct vperf *v, const struct vperfctr_pmc *pmc, unsigned int nr, int signo)
{
	struct perf *p = v->backend;
	struct perf_set set;
	int err;

	if (signo && (v->tid || v->flags & VPERF_ON_EXEC))
		return vperf_fail(
			v, -EOPNOTSUPP,
			"perf_events sends overflow signals only to a thread that counts itself, "
			"without VPERF_ON_EXEC");
	err = perf_set_open(&set, v, pmc, nr, signo);
	if (err)
		return err;
	perf_set_close(&p->set);
	p->set = set;
	p->pending = p->armed = p->armed_second = 0;
	memset(p->family, 0, sizeof(p->family));
	describe_source(v);
	err = v->ops->reset(v);
	set_view(v);
	return err;
}

/* ---- Starting and stopping ---- */

static int control(int fd, unsigned long request, unsigned long arg)
{
	return fd >= 0 && ioctl(fd, request, arg) ? -errno : 0;
}

static bool leads(const struct perf *p, unsigned int i)
{
	return p->set.slots[i].leader == (int)i;
}

/*
 * Start all groups of events, and arm each slot in @mask to stop after one overflow. Start the
 * leader of a group after its members, because the leader starts the group. An overflow may happen
 * as soon as a slot is armed.
 */
static int start_groups(struct vperf *v, uint32_t mask)
{
	struct perf *p = v->backend;
	int err = 0;

	for (unsigned int i = 0; i < p->set.nr && !err; i++) {
		bool is_armed = p->armed_second & 1u << i;

		if (mask & 1u << i && p->set.slots[i].second >= 0)
			p->armed_second |= 1u << i;
		err = !(p->armed_second & 1u << i) ? 0 :
		      is_armed ? control(p->set.slots[i].second, PERF_EVENT_IOC_ENABLE, 0) :
				 control(p->set.slots[i].second, PERF_EVENT_IOC_REFRESH, 1);
	}
	mask &= ~p->armed;
	p->armed |= mask;
	for (unsigned int i = 0; i < p->set.nr && !err; i++)
		if (!leads(p, i) && mask & 1u << i)
			err = control(p->set.slots[i].fd, PERF_EVENT_IOC_REFRESH, 1);
	for (unsigned int i = 0; i < p->set.nr && !err; i++) {
		if (leads(p, i) && mask & 1u << i)
			err = control(p->set.slots[i].fd, PERF_EVENT_IOC_REFRESH, 1);
		else if (leads(p, i))
			err = control(p->set.slots[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	return err;
}

static int stop_groups(const struct perf *p)
{
	int err = 0;

	for (unsigned int i = 0; i < p->set.nr; i++) {
		int failed =
			leads(p, i) ? control(p->set.slots[i].fd, PERF_EVENT_IOC_DISABLE, 0) : 0;

		err = err ? err : failed;
		failed = control(p->set.slots[i].second, PERF_EVENT_IOC_DISABLE, 0);
		err = err ? err : failed;
	}
	return err;
}

static int family_control(const struct perf *p, unsigned long request)
{
	int err = control(p->family_clock, request, 0);

	for (unsigned int i = 0; i < p->set.nr && !err; i++)
		err = control(p->set.slots[i].inherited, request, 0);
	return err;
}

static uint32_t with_overflow(const struct vperf *v)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < v->nr; i++)
		mask |= v->pmc[i].ireset ? 1u << i : 0;
	return mask;
}

/* ---- Reading ---- */

static int read_slots(const struct perf *p, struct vperf_counts *counts)
{
	/* layout of read(): number of events, enabled time, running time, then the count of the
	 * leader and of each member in order */
	uint64_t values[3 + VPERF_MAX];

	counts->nr = p->set.nr;
	counts->nr_children = counts->nr_missed = 0;
	counts->incomplete = 0;
	for (unsigned int i = 0; i < p->set.nr; i++) {
		unsigned int at = 3;

		if (!leads(p, i))
			continue;
		memset(values, 0, sizeof(values));
		if (read(p->set.slots[i].fd, values, sizeof(values)) < 0)
			return -errno;
		for (unsigned int k = i; k < p->set.nr; k++) {
			const struct perf_slot *slot = &p->set.slots[k];

			if (slot->leader != (int)i)
				continue;
			counts->slot[k] = (struct vperf_count){
				.count = values[at++],
				.enabled = values[1] - slot->enabled,
				.running = values[2] - slot->running,
			};
			if (slot->second >= 0) {
				uint64_t second[4] = { 0 };

				if (read(slot->second, second, sizeof(second)) < 0)
					return -errno;
				counts->slot[k].count += second[3];
			}
			if (counts->slot[k].running < counts->slot[k].enabled)
				counts->incomplete |= 1u << k;
		}
	}
	return 0;
}

static int perf_read_tsc(struct vperf *v, uint64_t *tsc)
{
	struct perf *p = v->backend;
	uint64_t value;
	int err = perf_clock_read(&p->clock, v->started && !(v->flags & VPERF_ON_EXEC), &value);

	if (!err)
		*tsc = value - p->clock_base;
	return err;
}

static int perf_read(struct vperf *v, struct vperf_counts *counts)
{
	int err = read_slots(v->backend, counts);

	return err ? err : perf_read_tsc(v, &counts->tsc);
}

/*
 * Read the sum of slot @i for the thread and its children, and the thread's own count. The thread
 * is counted while this function reads. So read its own count before and after the sum, and retry
 * if it has changed. Then both counts are exact for events that are not caused by this function
 * itself, such as page faults.
 */
static int read_family(struct perf *p, unsigned int i, uint64_t *own_of, struct vperf_count *ret)
{
	const bool clock = i == VPERF_MAX;
	const int fd = clock ? p->family_clock : p->set.slots[i].inherited;
	struct vperf_counts before, after;
	uint64_t values[3] = { 0 }, own = 0;
	int err = 0;

	for (int n = 0; n < TRIES && !err; n++) {
		err = clock ? 0 : read_slots(p, &before);
		if (!err && read(fd, values, sizeof(values)) < 0)
			err = -errno;
		if (!err && clock) {
			err = perf_clock_read(&p->clock, false, &own);
			break;
		}
		if (!err)
			err = read_slots(p, &after);
		if (!err)
			own = after.slot[i].count;
		if (!err && before.slot[i].count == after.slot[i].count)
			break;
	}
	*own_of = own;
	*ret = (struct vperf_count){
		.count = values[clock ? 1 : 0], .enabled = values[1], .running = values[2],
	};
	return err;
}

/* For each inherited event, set .others to the event's count, minus the thread's own count, minus
 * the children's count at the last stop. */
static int begin_families(struct vperf *v)
{
	struct perf *p = v->backend;
	int err = 0;

	for (unsigned int i = 0; i <= VPERF_MAX && !err; i++) {
		struct perf_family *family = &p->family[i];
		struct vperf_count sum;
		uint64_t own;

		if (i < VPERF_MAX && i >= p->set.nr)
			continue;
		err = read_family(p, i, &own, &sum);
		if (!err)
			family->others = sum.count - own - family->kept.count;
	}
	return err;
}

static int read_children(struct vperf *v, unsigned int i, struct vperf_count *ret)
{
	struct perf *p = v->backend;
	const struct perf_family *family = &p->family[i];
	struct vperf_count sum;
	uint64_t own, count;
	int err = 0;

	if (!v->started) {
		*ret = family->kept;
		return 0;
	}
	err = read_family(p, i, &own, &sum);
	if (err)
		return err;
	count = sum.count - own - family->others;
	/* the result is less than at the last stop, because the thread was counted during the read:
	 * return the count at the last stop */
	if ((int64_t)count < (int64_t)family->kept.count)
		count = family->kept.count;
	*ret = (struct vperf_count){
		.count = count, .enabled = sum.enabled, .running = sum.running,
	};
	return 0;
}

static int perf_read_children(struct vperf *v, struct vperf_counts *counts)
{
	struct perf *p = v->backend;
	struct vperf_count clock;
	int err = read_children(v, VPERF_MAX, &clock);

	counts->nr = p->set.nr;
	counts->nr_children = counts->nr_missed = 0;
	counts->incomplete = 0;
	for (unsigned int i = 0; i < p->set.nr && !err; i++) {
		err = read_children(v, i, &counts->slot[i]);
		if (!err && counts->slot[i].running < counts->slot[i].enabled)
			counts->incomplete |= 1u << i;
	}
	if (!err)
		counts->tsc = clock.count;
	return err;
}

static int perf_start(struct vperf *v)
{
	struct perf *p = v->backend;
	int err = 0;

	if (v->flags & VPERF_ON_EXEC)
		return 0;	/* VPERF_ON_EXEC has no effect after the counters were opened */
	p->pending = 0;
	perf_clock_forget(&p->clock);
	if (v->flags & VPERF_CHILDREN)
		err = family_control(p, PERF_EVENT_IOC_ENABLE);
	if (!err)
		err = control(p->clock.fd, PERF_EVENT_IOC_ENABLE, 0);
	if (err)
		return err;
	p->stops = false;
	v->started = true;	/* set this flag first, because an overflow handler may run at
				 * once */
	set_view(v);
	err = start_groups(v, with_overflow(v));
	if (!err && v->flags & VPERF_CHILDREN)
		err = begin_families(v);
	if (err) {
		p->stops = true;
		stop_groups(p);
		v->started = false;
		set_view(v);
	}
	return err;
}

static int perf_stop(struct vperf *v)
{
	struct perf *p = v->backend;
	struct vperf_count children[VPERF_MAX + 1];
	int err, failed;

	p->stops = true;
	err = stop_groups(p);
	failed = control(p->clock.fd, PERF_EVENT_IOC_DISABLE, 0);
	v->head.view->clock = NULL;
	err = err ? err : failed;
	if (v->flags & VPERF_CHILDREN && !err) {
		for (unsigned int i = 0; i <= VPERF_MAX && !err; i++)
			if (i < p->set.nr || i == VPERF_MAX)
				err = read_children(v, i, &children[i]);
		for (unsigned int i = 0; i <= VPERF_MAX && !err; i++)
			if (i < p->set.nr || i == VPERF_MAX)
				p->family[i].kept = children[i];
		failed = family_control(p, PERF_EVENT_IOC_DISABLE);
		err = err ? err : failed;
	}
	return err;
}

static int perf_reset(struct vperf *v)
{
	struct perf *p = v->backend;
	struct vperf_counts counts;
	int err = 0;

	for (unsigned int i = 0; i < p->set.nr && !err; i++)
		err = leads(p, i) ? control(p->set.slots[i].fd, PERF_EVENT_IOC_RESET,
					    PERF_IOC_FLAG_GROUP) :
				    0;
	for (unsigned int i = 0; i < p->set.nr && !err; i++)
		err = control(p->set.slots[i].second, PERF_EVENT_IOC_RESET, 0);
	for (unsigned int i = 0; i < p->set.nr; i++)
		p->set.slots[i].enabled = p->set.slots[i].running = 0;
	if (!err)
		err = read_slots(p, &counts);
	for (unsigned int i = 0; i < p->set.nr && !err; i++) {
		p->set.slots[i].enabled = counts.slot[i].enabled;
		p->set.slots[i].running = counts.slot[i].running;
		p->family[i].kept = (struct vperf_count){ 0 };
	}
	if (!err)
		err = perf_clock_read(&p->clock, false, &p->clock_base);
	p->family[VPERF_MAX].kept = (struct vperf_count){ 0 };
	perf_clock_forget(&p->clock);
	v->head.view->clock_base = p->clock_base;
	if (!err && v->started && v->flags & VPERF_CHILDREN)
		err = begin_families(v);
	return err;
}

/* ---- Overflows: signal handlers call these functions, so they make only async-signal-safe calls
 * ---- */

static uint32_t perf_overflow(struct vperf *v, const siginfo_t *info)
{
	struct perf *p = v->backend;
	const int saved = errno;
	uint32_t mask = 0, second = 0;

	for (unsigned int i = 0; i < p->set.nr; i++) {
		const struct perf_slot *slot = &p->set.slots[i];
		bool is_second = slot->second >= 0 && slot->second == info->si_fd;

		if ((slot->fd != info->si_fd && !is_second) || !v->pmc[i].ireset ||
		    info->si_signo != v->signo)
			continue;
		mask |= 1u << i;
		second |= is_second ? 1u << i : 0;
	}
	if (mask && v->started) {
		stop_groups(p);
		p->armed &= ~(mask & ~second);
		p->armed_second &= ~second;
		p->pending |= mask;
	}
	errno = saved;
	return mask;
}

static int perf_resume(struct vperf *v)
{
	struct perf *p = v->backend;
	const uint32_t pending = p->pending;
	const int saved = errno;
	int err;

	if (!pending || !v->started || p->stops)
		return -EPERM;
	p->pending = 0;
	err = start_groups(v, pending);
	errno = saved;
	return err;
}

const struct vperf_ops vperf_perf_ops = {
	.name = "perf_events",
	.open = perf_open,
	.close = perf_close,
	.forget = perf_forget,
	.set = perf_set,
	.start = perf_start,
	.stop = perf_stop,
	.reset = perf_reset,
	.read = perf_read,
	.read_tsc = perf_read_tsc,
	.read_children = perf_read_children,
	.overflow = perf_overflow,
	.resume = perf_resume,
	.fd = perf_fd,
};
