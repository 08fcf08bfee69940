/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_order.h -- time order of the perf_events records of all CPUs: samples, and the notices
 * (fork, exec, mmap, exit records) that change the meaning of later samples.
 *
 * Samples and notices are in separate rings. As long as no notice falls between them, samples are
 * delivered ring by ring: the order of samples of different CPUs does not matter, and samples of
 * one CPU make longer runs.
 *
 * A drain reads the window of each ring: the records that the ring contained at
 * opd_perf_order_refresh() (perf_ring.h). The windows of notice rings are set after those of
 * sample rings, so they contain every notice that a sample in a window needs: the task of the
 * notice, or its parent, writes the notice before the task can run the code that the notice
 * describes. A notice must not be applied before an older sample that was still being written when
 * the windows were set. So @limit, the time up to which records are delivered, must be before the
 * time of the refresh.
 */
#ifndef OPD_PERF_ORDER_H
#define OPD_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_ring.h"

struct opd_perf_order_ops {
	/* Handle a record of the ring samples[@ring]. If the record cannot be handled now, do
	 * nothing and return false. */
	bool (*sample)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* Handle a fork, exec, mmap or exit record from the ring notices[@ring]. */
	void (*notice)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* Called before each notice, and at the end of the drain: handle the records of all other
	 * rings up to and including the time @until. NULL: no other rings. */
	void (*before)(void *arg, uint64_t until);
	/* Called after each record: move records from the rings to memory if necessary
	 * (opd_perf_ring_spill()), because a drain may take long. NULL: no call. */
	void (*relieve)(void *arg);
};

/* Set the windows of all rings: first of the sample rings, then of the notice rings. */
void opd_perf_order_refresh(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			    size_t nr);

/* Deliver the records of the @nr windows @rings up to and including the time @until to @fn, in time
 * order across all rings, and remove them. */
void opd_perf_order_merge(struct opd_perf_ring **rings, size_t nr, uint64_t until,
			  void (*fn)(void *arg, size_t ring, const struct opd_perf_record *r),
			  void *arg);

/*
 * Deliver the records of the windows up to and including time @limit, and remove them from the
 * rings. @nr: number of rings of each kind. Records of a ring are delivered in their order. Return
 * false if a sample could not be delivered; then the sample and all later records stay in their
 * rings.
 */
bool opd_perf_order_drain(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			  size_t nr, uint64_t limit, const struct opd_perf_order_ops *ops,
			  void *arg);

#endif
