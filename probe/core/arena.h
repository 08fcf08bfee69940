/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h -- allocator of memory in the .csp.live file. An arena is a list of chunks, each twice as
 * large as the chunk before. References are 32-bit offsets, and memory is never freed.
 *
 * An arena belongs to one thread at a time. Only that thread and its signal handler allocate, so an
 * arena needs no lock. The chunks of all arenas of a process are in one file, in the order of
 * allocation. Disk space is allocated before a chunk is mapped: on a full disk, touching a mapped
 * page without disk space would kill the process by SIGBUS. If the disk is full when an arena's
 * first chunk is allocated, the arena uses private memory; kill -9 then loses the arena's data. If
 * the disk is full for a later chunk of an arena in the file, the allocation fails, so that a
 * reader of the file always finds the complete arena. A child of fork() does not inherit the
 * mappings of the file: a mapping in the child would keep the file locked, and other processes take
 * the lock as a sign that the process is still counting.
 */
#ifndef PROBE_CORE_ARENA_H
#define PROBE_CORE_ARENA_H

#include "libop/raw/live.h"
#include "probe/base/fd.h"

/* The .csp.live file. All arenas of a process share it. */
struct arena_file {
	struct fd *fd;	/* the open file; NULL: arenas use private memory instead of a file */
	uint64_t end;	/* offset in the file at which the next chunk will begin; atomic */
};

struct arena {
	struct raw_live_arena live;
	struct arena_file *file;
	/* number of bytes that were allocated in this arena, including chunk headers */
	uint64_t used;
	uint32_t number;
	/* .nr_chunks: number of chunks that contain data; .nr_ready: number of chunks that are
	 * mapped */
	uint32_t nr_chunks, nr_ready;
	bool is_in_file;
};

/* Initialize an arena and allocate its first chunk. Return 0 or -ENOMEM. */
int arena_init(struct arena *arena, struct arena_file *file, uint32_t number);

/* Map chunks for @size bytes in advance, so that later allocations need no system call. Ignore
 * failure. */
void arena_grow(struct arena *arena, uint64_t size);

/* Allocate @size zeroed bytes. Return a reference to the bytes, or 0 if out of memory.
 * Async-signal-safe. */
uint32_t arena_alloc(struct arena *arena, size_t size);

static inline void *arena_at(const struct arena *arena, uint32_t ref)
{
	return raw_live_at(&arena->live, ref);
}

/* Unmap all chunks of the arena. */
void arena_release(struct arena *arena);

#endif
