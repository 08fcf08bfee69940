/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_order.h -- samples and the notices that change their meaning, of all CPUs, in time order.
 *
 * Samples and notices (fork, exec, mmap, exit) come in rings of their own. A batch of samples is
 * delivered ring by ring, as long as no notice falls between them; order among samples of different
 * CPUs means nothing, and long stretches of one CPU make long runs.
 *
 * What makes a drain complete: a notice is written by the very task that it is about (or its
 * parent) before that task can run the code it tells of. So when the windows of the notice rings
 * are taken after those of the sample rings, every notice that a sample in the window needs is there.
 * What must not happen is the other way round, a notice applied before an older sample that was
 * still being written: hence @limit, a time before the windows were taken.
 */
#ifndef OPD_PERF_ORDER_H
#define OPD_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_ring.h"

struct opd_perf_order_ops {
	/* A record of samples[@ring]. False: not now; nothing was done with it. */
	bool (*sample)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* A record of notices[@ring]. */
	void (*notice)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* Called after each record: a drain may take long, so make room in the rings (opd_perf_ring_keep()). NULL: not needed. */
	void (*relieve)(void *arg);
};

/* Sets the windows of all rings, in the order that the rule above needs. */
void opd_perf_order_refresh(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			    size_t nr);

/*
 * Delivers and pops all records of the windows up to and including time @limit; later ones stay.
 * Within a ring, records are delivered as they stand there. @nr of each kind of ring.
 * False: a sample is not to be had now, and stays with all that comes behind it.
 */
bool opd_perf_order_drain(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			  size_t nr, uint64_t limit, const struct opd_perf_order_ops *ops,
			  void *arg);

#endif
