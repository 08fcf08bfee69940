// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_order.c -- merging of all CPUs' perf_events rings in time order. */
#include "config.h"
#include "daemon/source/perf_order.h"

#include <stdbool.h>

void opd_perf_order_refresh(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			    size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		opd_perf_ring_refresh(samples[i]);
	for (size_t i = 0; i < nr; i++)
		opd_perf_ring_refresh(notices[i]);
}

/* The arguments of one opd_perf_order_drain(). */
struct drain {
	struct opd_perf_ring **samples, **notices;
	size_t nr;
	const struct opd_perf_order_ops *ops;
	void *arg;
};

/* Remove the delivered record from its ring. Pointers to records of other rings may become
 * invalid. */
static void pop(struct drain *d, struct opd_perf_ring *ring)
{
	opd_perf_ring_pop(ring);
	if (d->ops->relieve)
		d->ops->relieve(d->arg);
}

/* Deliver all samples up to and including time @until. Return false if a sample must be delayed. */
static bool drain_samples(struct drain *d, uint64_t until)
{
	const struct opd_perf_record *r;

	for (size_t i = 0; i < d->nr; i++) {
		while ((r = opd_perf_ring_peek(d->samples[i])) && r->time <= until) {
			if (!d->ops->sample(d->arg, i, r))
				return false;
			pop(d, d->samples[i]);
		}
	}
	return true;
}

/* Set *@ret to the ring with the oldest next record, and *@until to the time up to which this
 * ring's records are older than those of all other rings. Return false if all rings are empty. */
static bool oldest(struct opd_perf_ring **rings, size_t nr, size_t *ret, uint64_t *until)
{
	uint64_t first = 0, second = UINT64_MAX;
	bool found = false;

	for (size_t i = 0; i < nr; i++) {
		const struct opd_perf_record *r = opd_perf_ring_peek(rings[i]);

		if (!r)
			continue;
		if (!found || r->time < first) {
			if (found)
				second = first;
			first = r->time;
			*ret = i;
			found = true;
		} else if (r->time < second) {
			second = r->time;
		}
	}
	*until = second;
	return found;
}

void opd_perf_order_merge(struct opd_perf_ring **rings, size_t nr, uint64_t until,
			  void (*fn)(void *arg, size_t ring, const struct opd_perf_record *r),
			  void *arg)
{
	const struct opd_perf_record *r;
	uint64_t next;
	size_t i = 0;

	while (oldest(rings, nr, &i, &next)) {
		if (next > until)
			next = until;
		r = opd_perf_ring_peek(rings[i]);
		if (r->time > until)
			return;
		for (; r && r->time <= next; r = opd_perf_ring_peek(rings[i])) {
			fn(arg, i, r);
			opd_perf_ring_pop(rings[i]);
		}
	}
}

/* Deliver all records before the next notice, whose time is @until. Return false if a sample must
 * be delayed. */
static bool drain_before(struct drain *d, uint64_t until)
{
	if (!drain_samples(d, until))
		return false;
	if (d->ops->before)
		d->ops->before(d->arg, until);
	return true;
}

bool opd_perf_order_drain(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			  size_t nr, uint64_t limit, const struct opd_perf_order_ops *ops,
			  void *arg)
{
	struct drain d = {.samples = samples, .notices = notices, .nr = nr, .ops = ops, .arg = arg};
	const struct opd_perf_record *r;
	uint64_t until;
	size_t i = 0;

	while (oldest(notices, nr, &i, &until)) {
		if (until > limit)
			until = limit;
		r = opd_perf_ring_peek(notices[i]);
		if (r->time > limit)
			break;
		while (r && r->time <= until) {
			/* A sample with the same time as a notice (fork, exec, mmap, exit record)
			 * was taken before the notice was written: deliver such samples first. */
			if (!drain_before(&d, r->time))
				return false;
			ops->notice(arg, i, opd_perf_ring_peek(notices[i]));
			pop(&d, notices[i]);
			r = opd_perf_ring_peek(notices[i]);
		}
	}
	return drain_before(&d, limit);
}
