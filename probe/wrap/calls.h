/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h -- functions of libopprobe.so for the libraries that replace functions of the program,
 * such as libopprobe_malloc.so. libopprobe.so is preloaded before these libraries.
 *
 * A library calls opprobe_source() to find out whether its event was requested, and reports each
 * call. The library's frames are recognized by the return address and omitted from call paths, so
 * calls of these functions must not be tail calls.
 */
#ifndef PROBE_WRAP_CALLS_H
#define PROBE_WRAP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/core/heap.h"

/* A block that was removed from the table of heap blocks and may be put back. */
struct opprobe_block {
	uintptr_t at;			/* address of the removed block; 0: no block was removed */
	uint64_t size;
	void *node;
	uint32_t nr;
	/* the process that removed the block; a signal handler may fork before the block is put
	 * back */
	uint32_t pid;
};

struct arch_caller;

/*
 * Report a heap block that the program has allocated. @caller: the allocating frame; NULL: the
 * caller of the caller of this function. *@gap: number of bytes that the thread will allocate until
 * its next sampled block, initially 0. A library may subtract the size of a block from *@gap
 * itself; if *@gap stays positive, it need not report the block.
 */
void opprobe_allocated(const void *at, size_t size, const struct arch_caller *caller,
		       uint64_t *gap);

/* A table with the number of recorded blocks for each hash of an address. If the number for a
 * block's address is 0, the library need not report the free() of the block. */
extern uint32_t opprobe_filter[FILTER_SIZE];

/* Report that the program is about to free the block at @at. */
void opprobe_free(const void *at);

/* Report a reallocation of the block at @at. Call opprobe_frees() before the reallocation.
 * Afterwards call opprobe_freed() if the old block was freed, or opprobe_not_freed() if it was
 * not. */
void opprobe_frees(const void *at, struct opprobe_block *block);
void opprobe_freed(const struct opprobe_block *block);
void opprobe_not_freed(const struct opprobe_block *block);

/* Return the index of the first metric of @event, or a negative number if the event was not
 * requested. */
int opprobe_source(const char *event);

/* Add @value to @metric and 1 to @metric + 1, at the call path of the function that called the
 * library. */
void opprobe_called(int metric, uint64_t value);

/*
 * Remove the marker from the stack (core/marker.h). opprobe_jumps(): called before the program
 * jumps to the jmp_buf @env, which leaves frames without returning. opprobe_walks(): called before
 * the program walks its stack.
 */
void opprobe_jumps(const void *env);
void opprobe_walks(void);

/* Return the function @name that the program would call without the probe. @own: an address in the
 * calling library. Return NULL if the caller must use dlsym(RTLD_NEXT) instead. */
void *opprobe_real(const char *name, const void *own);

/* Name of the library that reports jumps and stack walks; defined in that library. */
extern const char opprobe_marker_library[];

#endif
