/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring.h -- reads a perf_events ring in place.
 *
 * Records are decoded where the kernel wrote them and stay there until they are popped, so the ring
 * itself is the queue. To make room for the kernel, records that cannot be popped yet may be moved
 * out of the ring. The window of a ring, from its tail to the head at the time of
 * opd_perf_ring_refresh(), does not change during reading.
 */
#ifndef OPD_PERF_RING_H
#define OPD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"

struct perf_event_mmap_page;

/* The members are private, except `next`, which opd_perf_ring_peek() fills in. */
struct opd_perf_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* size of data, a power of two */
	uint64_t head, tail;	/* the window: free-running offsets into data */
	uint64_t published;	/* the tail that the kernel has read */
	struct opd_perf_format format;
	/* buffer for a record that wraps around the end; NULL until needed */
	unsigned char *bounce;
	/* records that were moved out of the ring, which come before those in it; NULL: none */
	unsigned char *kept;
	size_t kept_at, kept_end, kept_room;
	bool peeked;
	size_t next_size;
	struct opd_perf_record next;
	/* number of windows that were skipped because their bytes were invalid */
	uint64_t bad;
};

/* Map a ring. @size: bytes of data, a power-of-two number of pages. Return 0 or a negative errno of
 * mmap(2). */
int opd_perf_ring_map(struct opd_perf_ring *ring, int fd, size_t size,
		      const struct opd_perf_format *format);

/* Unmap a ring, which may be all zeros. Records that were not popped are lost. */
void opd_perf_ring_unmap(struct opd_perf_ring *ring);

/* Initialize a ring in the caller's memory, for tests: its stream does not come from the kernel,
 * and contains the bytes up to @head. */
void opd_perf_ring_init_memory(struct opd_perf_ring *ring, const void *data, size_t size,
			       uint64_t tail, uint64_t head, const struct opd_perf_format *format);

/* Extend the window to all records that the kernel has written so far. */
void opd_perf_ring_refresh(struct opd_perf_ring *ring);

/* Return whether records that were taken out of the ring are still to be delivered. */
static inline bool opd_perf_ring_has_kept(const struct opd_perf_ring *ring)
{
	return ring->kept;
}

/* Return whether the unread records, including new ones of the kernel, fill more than 1/@parts of
 * the ring. */
bool opd_perf_ring_is_filled(const struct opd_perf_ring *ring, unsigned int parts);

/*
 * Move the window's records out of the ring, up to @limit bytes of moved records; of stacks only
 * the copied bytes. Records for which @is_wanted returns false are discarded. Afterwards no record
 * is peeked. Return false if some records are still in the ring.
 */
bool opd_perf_ring_keep(struct opd_perf_ring *ring, size_t limit,
			bool (*is_wanted)(void *arg, const struct opd_perf_record *r), void *arg);

/* Used by opd_perf_ring_peek() only. */
const struct opd_perf_record *opd_perf_ring_decode_next(struct opd_perf_ring *ring);

/* Return the next record of the window, valid until it is popped; NULL at its end. */
static inline const struct opd_perf_record *opd_perf_ring_peek(struct opd_perf_ring *ring)
{
	return ring->peeked ? &ring->next : opd_perf_ring_decode_next(ring);
}

void opd_perf_ring_pop(struct opd_perf_ring *ring);

/* Return the room of all popped records to the kernel. */
void opd_perf_ring_publish(struct opd_perf_ring *ring);

#endif
