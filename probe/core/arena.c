// SPDX-License-Identifier: GPL-2.0-or-later
/* arena.c -- allocator of memory in the .csp.live file, the mapped file in which a process
 * stores its counts. */
#include "config.h"
#include "probe/core/arena.h"

#include <errno.h>

#include "probe/linux/calls.h"

/* Allocate disk space for @size bytes at offset @at. If the file system does not support
 * fallocate(), write zeros. */
static bool make_room(int fd, uint64_t at, uint64_t size)
{
	static const char zeros[4096];
	long err;

	/* A write beyond the limit RLIMIT_FSIZE would raise SIGXFSZ. Read the limit at each call,
	 * because the program may change it. */
	if (at + size > call_file_limit())
		return false;
	err = call_fallocate(fd, 0, at, size);
	if (err != -EOPNOTSUPP)
		return !err;
	for (uint64_t done = 0; done < size; done += sizeof(zeros))
		if (call_pwrite(fd, zeros, sizeof(zeros), at + done) != sizeof(zeros))
			return false;
	return true;
}

/* Map the next @size bytes of the .csp.live file. Return NULL if the disk is full; the file may
 * then contain a hole, which readers skip. */
static void *map_file(struct arena_file *file, uint64_t size)
{
	uint64_t at;
	long ret;
	int fd;

	if (!file->fd)
		return NULL;
	fd = fd_get(file->fd);
	if (fd < 0)
		return NULL;
	at = __atomic_fetch_add(&file->end, size, __ATOMIC_RELAXED);
	if (!make_room(fd, at, size)) {
		uint64_t behind = at + size;

		/* Move the end of the file back: otherwise each failure would leave a hole in the
		 * file. */
		__atomic_compare_exchange_n(&file->end, &behind, at, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		return NULL;
	}
	ret = call_mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (call_failed(ret))
		return NULL;
	call_madvise((void *)ret, size, MADV_DONTFORK);
	return (void *)ret;
}

static int map_chunk(struct arena *arena)
{
	uint32_t k = arena->nr_ready;
	uint64_t size = (uint64_t)RAW_LIVE_FIRST << k;
	struct raw_live_chunk *c;

	if (k >= RAW_LIVE_MAX_CHUNKS)
		return -ENOMEM;
	c = !k || arena->is_in_file ? map_file(arena->file, size) : NULL;
	/* If earlier chunks of the arena are in the file, return an error. Data in the file must
	 * not refer to a chunk in private memory, which readers of the file do not see. */
	if (!c && arena->is_in_file)
		return -ENOMEM;
	arena->is_in_file = c;
	if (!c) {
		long ret =
			call_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (call_failed(ret))
			return -ENOMEM;
		c = (struct raw_live_chunk *)ret;
	}
	c->arena = arena->number;
	c->index = k;
	c->size = size;
	__atomic_store_n(&c->magic, RAW_LIVE_MAGIC, __ATOMIC_RELEASE);
	arena->live.chunks[k] = (unsigned char *)c;
	arena->nr_ready++;
	return 0;
}

static int add_chunk(struct arena *arena)
{
	int err = arena->nr_chunks < arena->nr_ready ? 0 : map_chunk(arena);

	if (err)
		return err;
	arena->used = raw_live_start(arena->nr_chunks) + sizeof(struct raw_live_chunk);
	arena->nr_chunks++;
	return 0;
}

int arena_init(struct arena *arena, struct arena_file *file, uint32_t number)
{
	*arena = (struct arena){ .file = file, .number = number };
	return add_chunk(arena);
}

void arena_grow(struct arena *arena, uint64_t size)
{
	while (raw_live_start(arena->nr_ready) < size && !map_chunk(arena))
		;
}

uint32_t arena_alloc(struct arena *arena, size_t size)
{
	uint64_t at;

	size = (size + 7) & ~(size_t)7;
	while (arena->used + size > raw_live_start(arena->nr_chunks))
		if (add_chunk(arena))
			return 0;
	at = arena->used;
	arena->used += size;
	return at / 8;
}

void arena_release(struct arena *arena)
{
	for (uint32_t k = 0; k < arena->nr_ready; k++)
		call_munmap(arena->live.chunks[k], (uint64_t)RAW_LIVE_FIRST << k);
	*arena = (struct arena){ 0 };
}
