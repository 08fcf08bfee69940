/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_order.h -- time order of the perf_events of all CPUs: delivers samples, and the notices that
 * change the meaning of later samples.
 *
 * Samples and notices (fork, exec, mmap, exit) are in separate rings. Samples are delivered ring by
 * ring as long as no notice falls between them, because the order among samples of different CPUs
 * has no meaning, and long sequences from one CPU make long runs.
 *
 * A drain reads a window of each ring: the records that the ring contained when the window was set
 * (perf_ring.h). The windows of notice rings are set after the windows of sample rings, so that
 * they contain every notice that a sample in a sample window needs: the task that a notice is
 * about, or its parent, writes the notice before the task can run the code that the notice
 * describes. A notice must not be applied before an older sample that was still being written when
 * the windows were set. So @limit, the time up to which records are delivered, must be before the
 * windows were set.
 */
#ifndef OPD_PERF_ORDER_H
#define OPD_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_ring.h"

struct opd_perf_order_ops {
	/* Handles a record of the ring samples[@ring]. Returns false, without effect, if the record
	 * cannot be handled now. */
	bool (*sample)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* Handle a record of the ring notices[@ring]. */
	void (*notice)(void *arg, size_t ring, const struct opd_perf_record *r);
	/* Called after each record. Makes room in the rings (opd_perf_ring_keep()), because a drain
	 * may take long. NULL: no call. */
	void (*relieve)(void *arg);
};

/* Set the windows of all rings, first of the sample rings, then of the notice rings. */
void opd_perf_order_refresh(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			    size_t nr);

/*
 * Deliver the records of the windows up to and including the time @limit, and remove them from the
 * rings; later records stay. Within a ring, records are delivered in their order in the ring. There
 * are @nr rings of each kind. Return false if a sample could not be delivered; the sample stays in
 * its ring with all later records.
 */
bool opd_perf_order_drain(struct opd_perf_ring **samples, struct opd_perf_ring **notices,
			  size_t nr, uint64_t limit, const struct opd_perf_order_ops *ops,
			  void *arg);

#endif
