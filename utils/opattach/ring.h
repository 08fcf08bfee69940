/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h -- reading the perf_events ring buffer of a CPU.
 */
#ifndef UTILS_OPATTACH_RING_H
#define UTILS_OPATTACH_RING_H

#include <linux/perf_event.h>
#include <stddef.h>

struct attach_ring {
	struct perf_event_mmap_page *page;	/* the mapped ring buffer; NULL: not mapped */
	/* size of the data area after the first page, in bytes */
	size_t size;
};

/* Map the ring buffer of the event @fd. Return 0 or a negative errno. */
int attach_ring_map(struct attach_ring *ring, int fd);
void attach_ring_unmap(struct attach_ring *ring);

/* Call @take for each new record. The record is a complete copy and does not change during the
 * call. */
typedef void (*attach_record_fn)(void *arg, const struct perf_event_header *record);
void attach_ring_read(struct attach_ring *ring, attach_record_fn take, void *arg);

#endif
