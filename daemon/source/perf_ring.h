/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring.h -- reader of a perf_events ring, which reads records in place.
 *
 * Records are decoded where the kernel wrote them and stay there until they are popped, so the ring
 * itself is the queue. Records that cannot be popped yet may be moved out of the ring to make room
 * for the kernel. The window of a ring reaches from its tail to the head at the time of
 * opd_perf_ring_refresh(), and does not change during reading.
 */
#ifndef OPD_PERF_RING_H
#define OPD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"

struct perf_event_mmap_page;

/* A ring. The members are private, except .next, which opd_perf_ring_peek() sets. */
struct opd_perf_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* size of .data in bytes, a power of two */
	uint64_t head, tail;	/* the ends of the window, as offsets into .data modulo .size */
	/* the value of .tail that was last written to the ring's control page for the kernel */
	uint64_t published;
	struct opd_perf_format format;
	/* buffer for a record that wraps around the end of the ring; NULL: not needed yet */
	unsigned char *bounce;
	/* records that were moved out of the ring; they are older than the records in the ring;
	 * NULL: no records were moved */
	unsigned char *kept;
	size_t kept_at, kept_end, kept_room;
	bool peeked;
	size_t next_size;
	struct opd_perf_record next;
	/* number of windows that were discarded because of invalid bytes */
	uint64_t bad;
	/* number of samples whose stacks were shortened when they were moved out of the ring */
	uint64_t shortened;
};

/* Map the ring of the event @fd. @size: number of bytes of data, which must be a power-of-two
 * number of pages. Return 0 or a negative errno of mmap(2). */
int opd_perf_ring_map(struct opd_perf_ring *ring, int fd, size_t size,
		      const struct opd_perf_format *format);

/* Unmap a ring, which may be all zeros. Records that were not popped are lost. */
void opd_perf_ring_unmap(struct opd_perf_ring *ring);

/* Initialize a ring in the caller's memory, for tests: the caller, not the kernel, writes its data,
 * which ends at @head. */
void opd_perf_ring_init_memory(struct opd_perf_ring *ring, const void *data, size_t size,
			       uint64_t tail, uint64_t head, const struct opd_perf_format *format);

/* Extend the window to all records that the kernel has written so far. */
void opd_perf_ring_refresh(struct opd_perf_ring *ring);

/* Return whether records were moved out of the ring and are not popped yet. */
static inline bool opd_perf_ring_has_kept(const struct opd_perf_ring *ring)
{
	return ring->kept;
}

/* Return the number of bytes of the moved records. */
static inline size_t opd_perf_ring_kept_bytes(const struct opd_perf_ring *ring)
{
	return ring->kept_end - ring->kept_at;
}

/* Return whether the unread records, including the kernel's new records, fill more than 1/@parts of
 * the ring. */
bool opd_perf_ring_is_filled(const struct opd_perf_ring *ring, unsigned int parts);

/*
 * Move the window's records out of the ring into memory, until the moved records fill @limit bytes.
 * Of a stack, move only the bytes that the kernel has copied; of the records that do not fit into
 * the first @whole bytes, move only the innermost frames of the stack, and only until the ring is
 * filled to a quarter. So a sample keeps its count when there is no memory for its path. Discard
 * records for which @is_wanted returns false. A record that opd_perf_ring_peek() returned before is
 * invalid afterwards. Return false if some records of the window are still in the ring.
 */
bool opd_perf_ring_keep(struct opd_perf_ring *ring, size_t limit, size_t whole,
			bool (*is_wanted)(void *arg, const struct opd_perf_record *r), void *arg);

/* Decode the next record. Only opd_perf_ring_peek() uses this function. */
const struct opd_perf_record *opd_perf_ring_decode_next(struct opd_perf_ring *ring);

/* Return the next record of the window, or NULL at the end of the window. The record is valid until
 * it is popped. */
static inline const struct opd_perf_record *opd_perf_ring_peek(struct opd_perf_ring *ring)
{
	return ring->peeked ? &ring->next : opd_perf_ring_decode_next(ring);
}

void opd_perf_ring_pop(struct opd_perf_ring *ring);

/* Give the room of all popped records back to the kernel. */
void opd_perf_ring_publish(struct opd_perf_ring *ring);

#endif
