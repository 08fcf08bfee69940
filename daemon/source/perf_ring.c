// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_ring.c -- reading one perf_events ring in place. */
#include "config.h"
#include "daemon/source/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOUNCE_SIZE	65536	/* a record's size is 16 bits wide */

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

/* Nobody can tell where the next record starts: start over at the newest byte. */
static void skip_window(struct opd_perf_ring *ring)
{
	ring->bad++;
	ring->tail = ring->head;
	ring->peeked = false;
}

const struct opd_perf_record *opd_perf_ring_peek(struct opd_perf_ring *ring)
{
	const unsigned char *at;
	size_t len, pos;
	ssize_t n;

	if (ring->peeked)
		return &ring->next;
	if (ring->tail == ring->head)
		return NULL;
	len = ring->head - ring->tail;
	if (len > ring->size) {
		skip_window(ring);
		return NULL;
	}

	pos = ring->tail & (ring->size - 1);
	at = ring->data + pos;
	if (len > ring->size - pos) {
		size_t first = ring->size - pos;
		struct perf_event_header h;

		/* Records are multiples of 8 bytes, so a header never wraps. */
		if (first < sizeof(h)) {
			skip_window(ring);
			return NULL;
		}
		memcpy(&h, at, sizeof(h));
		if (h.size > first) {
			if (!ring->bounce)
				ring->bounce = malloc(BOUNCE_SIZE);
			if (!ring->bounce || h.size > len) {
				skip_window(ring);
				return NULL;
			}
			memcpy(ring->bounce, at, first);
			memcpy(ring->bounce + first, ring->data, h.size - first);
			at = ring->bounce;
			len = h.size;
		} else {
			len = first;
		}
	}

	n = opd_perf_decode(&ring->next, at, len, &ring->format);
	if (n <= 0) {
		skip_window(ring);
		return NULL;
	}
	ring->next_size = (size_t)n;
	ring->peeked = true;
	return &ring->next;
}

void opd_perf_ring_pop(struct opd_perf_ring *ring)
{
	if (!ring->peeked)
		return;
	ring->peeked = false;
	ring->tail += ring->next_size;
	/* Long work on a full ring: give room back before the kernel runs out of it. */
	if (ring->tail - ring->published >= ring->size / 8)
		opd_perf_ring_publish(ring);
}

void opd_perf_ring_publish(struct opd_perf_ring *ring)
{
	if (ring->page && ring->tail != ring->published)
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	ring->published = ring->tail;
}
