/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h -- reader of the perf_events ring buffer of one CPU.
 */
#ifndef UTILS_OPATTACH_RING_H
#define UTILS_OPATTACH_RING_H

#include <linux/perf_event.h>
#include <stddef.h>

struct attach_ring {
	struct perf_event_mmap_page *page;	/* NULL: not mapped */
	size_t size;				/* size of the data after the page, in bytes */
};

/* Map the ring of event @fd. Return 0 or a negative errno. */
int attach_ring_map(struct attach_ring *ring, int fd);
void attach_ring_unmap(struct attach_ring *ring);

/* Pass each record to @take. The record is complete and does not change during the call. */
typedef void (*attach_record_fn)(void *arg, const struct perf_event_header *record);
void attach_ring_read(struct attach_ring *ring, attach_record_fn take, void *arg);

#endif
