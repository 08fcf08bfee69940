/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h -- memory in a .csp.live file: chunks that double in size, references of 32 bits, no
 * free().
 *
 * An arena belongs to one thread at a time. Only that thread and its signal handler allocate, so
 * there is no lock. Chunks of several arenas lie in one file in the order in which they were
 * requested.
 *
 * Space in the file is allocated before a chunk is mapped: on a full disk the kernel would kill a
 * process that touches a page without space. An arena without space in the file uses private memory
 * and the run continues; only kill -9 loses that part. An arena that has begun in the file stays as
 * it is until there is space again: a reader of the file finds all of it.
 *
 * A child of fork() has no part of the file mapped: its mapping would hold the file's lock, which
 * shows others that the process is still counting.
 */
#ifndef PROBE_ARENA_H
#define PROBE_ARENA_H

#include "libop/raw/live.h"
#include "probe/pc/fd.h"

/* The file, shared by all arenas of a process. */
struct arena_file {
	struct pc_fd *fd;		/* NULL: no file */
	uint64_t end;			/* offset of the next chunk; atomic */
};

struct arena {
	struct raw_live_arena live;
	struct arena_file *file;
	uint64_t used;			/* bytes, with the headers of chunks */
	uint32_t number;
	uint32_t nr_chunks, nr_ready;	/* number of chunks in use, and mapped */
	bool is_in_file;
};

/* Create an arena with its first chunk. Return 0 or -ENOMEM. */
int arena_init(struct arena *arena, struct arena_file *file, uint32_t number);

/* Reserve @size bytes, so that later allocations of them need no system call. Failure is
 * ignored. */
void arena_grow(struct arena *arena, uint64_t size);

/* Return a reference to @size bytes of zeros, or 0 without memory. For handlers. */
uint32_t arena_alloc(struct arena *arena, size_t size);

static inline void *arena_at(const struct arena *arena, uint32_t ref)
{
	return raw_live_at(&arena->live, ref);
}

/* Unmap all chunks. */
void arena_release(struct arena *arena);

#endif
