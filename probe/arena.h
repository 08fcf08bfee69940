/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h -- memory in a .csp.live file: chunks that double, references of 32 bits, no free().
 *
 * Each arena belongs to one thread at a time, whose signal handler may allocate; nobody else does. So there is no lock.
 * Chunks of several arenas lie in one file in the order in which they were asked for.
 *
 * Room in the file is asked for before a chunk is mapped: on a full disk the kernel would kill who touches a page that
 * has none. An arena that has none in the file is memory, and the run goes on; only kill -9 takes that with it. One that has
 * begun in the file stays as it is until there is room again: whoever reads the file finds all of it.
 *
 * A child of fork() has no part of the file mapped: its mapping would hold the file's lock, by which others know that the
 * process counts.
 */
#ifndef PROBE_ARENA_H
#define PROBE_ARENA_H

#include "libop/raw/live.h"
#include "probe/pc/fd.h"

/* The file, shared by all arenas of a process. */
struct arena_file {
	struct pc_fd *fd;		/* NULL: there is none */
	uint64_t end;			/* where the next chunk goes; atomic */
};

struct arena {
	struct raw_live_arena live;
	struct arena_file *file;
	uint64_t used;			/* bytes, the headers of chunks too */
	uint32_t number;
	uint32_t nr_chunks, nr_ready;	/* in use; mapped */
	bool is_in_file;
};

/* The first chunk of an arena is made. 0, -ENOMEM. */
int arena_init(struct arena *arena, struct arena_file *file, uint32_t number);

/* So much can be had of it from then on without the kernel, if that gives it. */
void arena_grow(struct arena *arena, uint64_t size);

/* @size bytes of zeros; 0: there is no memory. For handlers. */
uint32_t arena_alloc(struct arena *arena, size_t size);

static inline void *arena_at(const struct arena *arena, uint32_t ref)
{
	return raw_live_at(&arena->live, ref);
}

/* Unmaps all of it. */
void arena_release(struct arena *arena);

#endif
