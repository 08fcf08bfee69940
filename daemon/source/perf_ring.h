/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring.h -- reader of a perf_events ring; reads records in place.
 *
 * Records stay where the kernel wrote them until they are popped, so the ring itself is the queue.
 * If records cannot be popped yet, they may be moved to memory, to make room for the kernel. The
 * window of a ring is the range from its tail to the head at the last opd_perf_ring_refresh(); it
 * does not change while records are read.
 */
#ifndef OPD_PERF_RING_H
#define OPD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"

struct perf_event_mmap_page;

/* A ring. The members are private, except .next, the record of the last opd_perf_ring_peek(). */
struct opd_perf_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* size of .data in bytes, a power of two */
	/* the window: positions of its end and start in .data, modulo .size */
	uint64_t head, tail;
	/* value of .tail when it was last written to the ring's control page for the kernel */
	uint64_t published;
	struct opd_perf_format format;
	/* buffer for a record that wraps around; NULL: not allocated yet */
	unsigned char *bounce;
	/* records that were moved to memory, older than those in the ring; NULL: no records */
	unsigned char *kept;
	size_t kept_at, kept_end, kept_room;
	bool peeked;
	size_t next_size;
	struct opd_perf_record next;
	/* number of times that the rest of a window was skipped because of an invalid record */
	uint64_t bad;
	/* number of samples whose stacks were shortened when they were moved */
	uint64_t shortened;
};

/* Map the ring of the event @fd. @size: size of the data in bytes, a power-of-two number of pages.
 * Return 0 or the negative errno of mmap(2). */
int opd_perf_ring_map(struct opd_perf_ring *ring, int fd, size_t size,
		      const struct opd_perf_format *format);

/* Unmap a ring, which may be zeroed. Records that were not popped are lost. */
void opd_perf_ring_unmap(struct opd_perf_ring *ring);

/* For tests: initialize a ring over the caller's memory @data, whose contents end at @head. */
void opd_perf_ring_init_memory(struct opd_perf_ring *ring, const void *data, size_t size,
			       uint64_t tail, uint64_t head, const struct opd_perf_format *format);

/* Set the end of the window to the end of the records that the kernel has written so far. */
void opd_perf_ring_refresh(struct opd_perf_ring *ring);

/* Return true if records that were moved to memory are not popped yet. */
static inline bool opd_perf_ring_has_spilled(const struct opd_perf_ring *ring)
{
	return ring->kept;
}

/* Return the size in bytes of the records that were moved to memory. */
static inline size_t opd_perf_ring_spilled_bytes(const struct opd_perf_ring *ring)
{
	return ring->kept_end - ring->kept_at;
}

/* Return true if unread records, including new ones, fill more than 1/@parts of the ring. */
bool opd_perf_ring_is_filled(const struct opd_perf_ring *ring, unsigned int parts);

/*
 * Move the window's records from the ring to memory, up to @limit bytes in total. Of a stack field,
 * move only the bytes that the kernel filled. Beyond the first @whole bytes, move only the
 * innermost frames of a stack, and stop when at most a quarter of the ring is filled. So a sample
 * still counts if memory for its call path is short. Drop records for which @is_wanted returns
 * false. The record of an earlier opd_perf_ring_peek() becomes invalid. Return false if records of
 * the window are still in the ring.
 */
bool opd_perf_ring_spill(struct opd_perf_ring *ring, size_t limit, size_t whole,
			 bool (*is_wanted)(void *arg, const struct opd_perf_record *r), void *arg);

/* Decode the next record. For opd_perf_ring_peek() only. */
const struct opd_perf_record *opd_perf_ring_decode_next(struct opd_perf_ring *ring);

/* Return the next record of the window, or NULL at its end. The record is valid until it is
 * popped. */
static inline const struct opd_perf_record *opd_perf_ring_peek(struct opd_perf_ring *ring)
{
	return ring->peeked ? &ring->next : opd_perf_ring_decode_next(ring);
}

void opd_perf_ring_pop(struct opd_perf_ring *ring);

/* Return the space of all popped records to the kernel. */
void opd_perf_ring_publish(struct opd_perf_ring *ring);

#endif
