// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_ring.c -- reader of a perf_events ring; reads records in place. */
#include "config.h"
#include "daemon/source/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOUNCE_SIZE	65536	/* maximum size of a record, whose size field has 16 bits */
/* number of bytes of a stack that are moved if memory is short; they contain the innermost
 * frames */
#define SHORT_STACK	512u
/* after this many bytes of popped records, return their space in the ring to the kernel */
#define BATCH		(256u << 10)

int opd_perf_ring_map(struct opd_perf_ring *ring, int fd, size_t size,
		      const struct opd_perf_format *format)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*ring = (struct opd_perf_ring){
		.page = p,
		.data = (const unsigned char *)p + page_size,
		.size = size,
		.format = *format,
	};
	ring->tail = ring->published = ring->page->data_tail;
	ring->head = ring->tail;
	return 0;
}

void opd_perf_ring_unmap(struct opd_perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	free(ring->bounce);
	free(ring->kept);
	*ring = (struct opd_perf_ring){ 0 };
}

void opd_perf_ring_init_memory(struct opd_perf_ring *ring, const void *data, size_t size,
			       uint64_t tail, uint64_t head, const struct opd_perf_format *format)
{
	*ring = (struct opd_perf_ring){
		.data = data,
		.size = size,
		.tail = tail,
		.published = tail,
		.head = head,
		.format = *format,
	};
}

void opd_perf_ring_refresh(struct opd_perf_ring *ring)
{
	if (ring->page)
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

bool opd_perf_ring_is_filled(const struct opd_perf_ring *ring, unsigned int parts)
{
	uint64_t head =
		ring->page ? __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) : ring->head;

	return head - ring->published > ring->size / parts;
}

/* Skip the rest of the ring's window, because the start of the next record is unknown. Continue at
 * the end of the window. */
static void skip_window(struct opd_perf_ring *ring)
{
	ring->bad++;
	ring->tail = ring->head;
	ring->peeked = false;
}

/*
 * Return the ring's record at position @pos as contiguous bytes: if it wraps around the end of the
 * ring, copy it to a buffer. Set *@len to the number of valid bytes at the result. Return NULL if
 * the record is invalid or memory is short.
 */
static const unsigned char *join(struct opd_perf_ring *ring, size_t pos, size_t *len)
{
	const unsigned char *at = ring->data + pos;
	size_t first = ring->size - pos;
	struct perf_event_header h;

	/* A record's size is a multiple of 8, so its 8-byte header never wraps around. */
	if (first < sizeof(h))
		return NULL;
	memcpy(&h, at, sizeof(h));
	if (h.size <= first) {
		*len = first;
		return at;
	}
	if (!ring->bounce)
		ring->bounce = malloc(BOUNCE_SIZE);
	if (!ring->bounce || h.size > *len)
		return NULL;
	memcpy(ring->bounce, at, first);
	memcpy(ring->bounce + first, ring->data, h.size - first);
	*len = h.size;
	return ring->bounce;
}

/* Return the oldest record that is still in the ring's window, as contiguous bytes. Set *@size to
 * the record's size, and decode the record to *@ret. Return NULL if the window is empty. If the
 * record is invalid, or memory is short, skip the rest of the window and return NULL. */
static inline const unsigned char *first_in_ring(struct opd_perf_ring *ring,
						 struct opd_perf_record *ret, size_t *size)
{
	size_t len = ring->head - ring->tail, pos = ring->tail & (ring->size - 1);
	const unsigned char *at = ring->data + pos;
	ssize_t n = 0;

	if (!len)
		return NULL;
	if (len > ring->size)
		at = NULL;
	else if (len > ring->size - pos)
		at = join(ring, pos, &len);
	if (at)
		n = opd_perf_decode(ret, at, len, &ring->format);
	if (n <= 0) {
		skip_window(ring);
		return NULL;
	}
	*size = (size_t)n;
	return at;
}

const struct opd_perf_record *opd_perf_ring_decode_next(struct opd_perf_ring *ring)
{
	if (ring->kept) {
		const unsigned char *at = ring->kept + ring->kept_at;

		ring->next_size = (size_t)opd_perf_decode(
			&ring->next, at, ring->kept_end - ring->kept_at, &ring->format);
	} else if (!first_in_ring(ring, &ring->next, &ring->next_size)) {
		return NULL;
	}
	ring->peeked = true;
	return &ring->next;
}

static void pop_spilled(struct opd_perf_ring *ring)
{
	ring->kept_at += ring->next_size;
	if (ring->kept_at < ring->kept_end)
		return;
	free(ring->kept);
	ring->kept = NULL;
	ring->kept_at = ring->kept_end = ring->kept_room = 0;
}

void opd_perf_ring_pop(struct opd_perf_ring *ring)
{
	if (!ring->peeked)
		return;
	ring->peeked = false;
	if (ring->kept) {
		pop_spilled(ring);
		return;
	}
	ring->tail += ring->next_size;
	/* Return space to the kernel during the drain, because the drain of a full ring takes
	 * long. */
	if (ring->tail - ring->published >= (ring->size / 8 < BATCH ? ring->size / 8 : BATCH))
		opd_perf_ring_publish(ring);
}

/*
 * Return the number of bytes to cut from the end of the stack field of sample @r: the bytes that
 * the kernel did not fill and, if @is_short, all but the first SHORT_STACK bytes. Keep one
 * unfilled word, because a completely filled field would mean that the stack may be larger than
 * the copy.
 */
static size_t to_cut(const struct opd_perf_record *r, const unsigned char *at, size_t size,
		     bool is_short)
{
	const struct opd_perf_stack *s = &r->sample.stack;
	uint64_t room, kept;

	if (r->kind != OPD_PERF_SAMPLE || !s->bytes)
		return 0;
	memcpy(&room, s->bytes - sizeof(room), sizeof(room));
	kept = s->full ? room : s->size / sizeof(room) * sizeof(room) + sizeof(room);
	if (is_short && s->size > SHORT_STACK)
		kept = SHORT_STACK;
	/* Remove bytes only if the stack field is the last field of the record, except for the
	 * number of copied bytes. */
	return s->bytes + room + sizeof(room) == at + size && kept < room ? room - kept : 0;
}

static bool make_room(struct opd_perf_ring *ring, size_t size, size_t limit)
{
	size_t room = ring->kept_room ? ring->kept_room : BOUNCE_SIZE;
	unsigned char *kept;

	/* Move the records in the memory buffer to its start only if at least as many bytes were
	 * popped. So each byte is moved once on average. */
	if (ring->kept_end + size > (ring->kept_room < limit ? ring->kept_room : limit) &&
	    ring->kept_at && ring->kept_at >= ring->kept_end - ring->kept_at) {
		memmove(ring->kept, ring->kept + ring->kept_at, ring->kept_end - ring->kept_at);
		ring->kept_end -= ring->kept_at;
		ring->kept_at = 0;
	}
	if (ring->kept_end + size > limit)
		return false;
	if (ring->kept_end + size <= ring->kept_room)
		return true;
	while (room < ring->kept_end + size)
		room *= 2;
	kept = realloc(ring->kept, room);
	if (!kept)
		return false;
	ring->kept = kept;
	ring->kept_room = room;
	return true;
}

/* Append a record to the records in memory, without the last @cut bytes of its stack field. */
static void append(struct opd_perf_ring *ring, const struct opd_perf_record *r,
		   const unsigned char *at, size_t size, size_t cut)
{
	unsigned char *to = ring->kept + ring->kept_end;
	struct perf_event_header h;
	uint64_t room, copied;

	if (!cut) {
		memcpy(to, at, size);
	} else {
		const size_t stack = (size_t)(r->sample.stack.bytes - at);

		memcpy(&h, at, sizeof(h));
		memcpy(&room, at + stack - sizeof(room), sizeof(room));
		room -= cut;
		h.size -= (uint16_t)cut;
		memcpy(to, at, stack + room);
		memcpy(to, &h, sizeof(h));
		memcpy(to + stack - sizeof(room), &room, sizeof(room));
		copied = r->sample.stack.size < room ? r->sample.stack.size : room;
		memcpy(to + stack + room, &copied, sizeof(copied));
	}
	ring->kept_end += size - cut;
}

bool opd_perf_ring_spill(struct opd_perf_ring *ring, size_t limit, size_t whole,
			 bool (*is_wanted)(void *arg, const struct opd_perf_record *r), void *arg)
{
	const unsigned char *at;
	struct opd_perf_record r;
	size_t size, cut;

	ring->peeked = false;
	while ((at = first_in_ring(ring, &r, &size))) {
		if (is_wanted(arg, &r)) {
			cut = to_cut(&r, at, size, false);
			if (opd_perf_ring_spilled_bytes(ring) + size - cut > whole) {
				size_t more = to_cut(&r, at, size, true);

				/* Shorten stacks only while the ring has little space for new
				 * records. */
				if (more > cut && ring->head - ring->tail <= ring->size / 4)
					break;
				ring->shortened += more > cut;
				cut = more;
			}
			if (!make_room(ring, size - cut, limit))
				break;
			append(ring, &r, at, size, cut);
		}
		ring->tail += size;
	}
	opd_perf_ring_publish(ring);
	return ring->tail == ring->head;
}

void opd_perf_ring_publish(struct opd_perf_ring *ring)
{
	if (ring->page && ring->tail != ring->published)
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	ring->published = ring->tail;
}
