// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c -- reading the perf_events ring buffer of a CPU.
 */
#include "config.h"
#include "utils/opattach/ring.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* maximum size of a ring buffer in bytes. By default the kernel permits a user 512 KiB per CPU */
#define MAX_DATA	(8u << 20)
#define MIN_DATA	(16u << 10)

int attach_ring_map(struct attach_ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = MAP_FAILED;

	for (size_t size = MAX_DATA; size >= MIN_DATA && at == MAP_FAILED; size /= 2) {
		at = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			*ring = (struct attach_ring){ at, size };
	}
	return at == MAP_FAILED ? -errno : 0;
}

void attach_ring_unmap(struct attach_ring *ring)
{
	if (ring->page)
		munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
	ring->page = NULL;
}

static void copy(const struct attach_ring *ring, uint64_t at, void *to, size_t len)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t from = at & (ring->size - 1),
	       first = len < ring->size - from ? len : ring->size - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, len - first);
}

void attach_ring_read(struct attach_ring *ring, attach_record_fn take, void *arg)
{
	/* Static because of its size: a record may have 64 KiB. The function is not reentrant. */
	static _Alignas(8) unsigned char record[65536];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE),
		 tail = ring->page->data_tail;
	struct perf_event_header *header = (struct perf_event_header *)record;

	while (tail < head) {
		copy(ring, tail, header, sizeof(*header));
		if (header->size < sizeof(*header) || header->size > head - tail)
			break;
		copy(ring, tail, record, header->size);
		tail += header->size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		take(arg, header);
	}
}
