/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring.h -- reading one perf_events ring in place.
 *
 * Records are decoded where the kernel wrote them and stay there until they are popped, so the ring
 * itself is the queue. Who cannot pop them yet may take them out of it, to make room for the kernel. The window of a ring, from its tail to
 * the head that opd_perf_ring_refresh() saw, does not change under the reader.
 */
#ifndef OPD_PERF_RING_H
#define OPD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"

struct perf_event_mmap_page;

/* Fields are the ring's own, but for `next`, which opd_perf_ring_peek() fills. */
struct opd_perf_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* of data, a power of two */
	uint64_t head, tail;	/* the window; free-running offsets into data */
	uint64_t published;	/* the tail that the kernel knows */
	struct opd_perf_format format;
	unsigned char *bounce;	/* for a record that wraps around the end; NULL until needed */
	unsigned char *kept;	/* records that were taken out of it, before those in it; NULL: none */
	size_t kept_at, kept_end, kept_room;
	bool peeked;
	size_t next_size;
	struct opd_perf_record next;
	uint64_t bad;		/* times the bytes made no sense and the window was skipped */
};

/* @size: bytes of data, a power-of-two number of pages. Negative errno: as mmap(2) says. */
int opd_perf_ring_map(struct opd_perf_ring *ring, int fd, size_t size,
		      const struct opd_perf_format *format);

/* Takes a zeroed ring. Records not popped are gone. */
void opd_perf_ring_unmap(struct opd_perf_ring *ring);

/* A ring over memory of the caller's, for a stream that is no kernel's: @head bytes are in it. */
void opd_perf_ring_init_memory(struct opd_perf_ring *ring, const void *data, size_t size,
			       uint64_t tail, uint64_t head, const struct opd_perf_format *format);

/* Widens the window to what the kernel has written by now. */
void opd_perf_ring_refresh(struct opd_perf_ring *ring);

/* Return whether records that were taken out of the ring are still to be delivered. */
static inline bool opd_perf_ring_has_kept(const struct opd_perf_ring *ring)
{
	return ring->kept;
}

/* Whether what the kernel has written by now takes more than 1/@parts of the room. */
bool opd_perf_ring_is_filled(const struct opd_perf_ring *ring, unsigned int parts);

/*
 * Takes the window's records out of the ring, as long as those that were taken are @limit bytes at most; of stacks only
 * what was copied. Those that @is_wanted gives false for are gone. None is peeked then. False: some are still there.
 */
bool opd_perf_ring_keep(struct opd_perf_ring *ring, size_t limit,
			bool (*is_wanted)(void *arg, const struct opd_perf_record *r), void *arg);

/* For opd_perf_ring_peek() alone. */
const struct opd_perf_record *opd_perf_ring_decode_next(struct opd_perf_ring *ring);

/* The next record of the window, valid until it is popped; NULL at its end. */
static inline const struct opd_perf_record *opd_perf_ring_peek(struct opd_perf_ring *ring)
{
	return ring->peeked ? &ring->next : opd_perf_ring_decode_next(ring);
}

void opd_perf_ring_pop(struct opd_perf_ring *ring);

/* Gives the room of everything popped back to the kernel. */
void opd_perf_ring_publish(struct opd_perf_ring *ring);

#endif
