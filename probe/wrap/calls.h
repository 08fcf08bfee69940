/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h -- the calls that libraries which replace functions make into libopprobe.so, which is
 * preloaded before each of them.
 *
 * Each such library asks by opprobe_source() whether its event was requested, and reports each
 * call. Its frames are omitted from paths: they are recognized by the return address, so no call of
 * these functions may be a jump.
 */
#ifndef PROBE_WRAP_CALLS_H
#define PROBE_WRAP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/wrap/filter.h"

/* The record of a freed block, for putting it back. */
struct opprobe_block {
	uintptr_t at;			/* 0: no block */
	uint64_t size;
	void *node;
	uint32_t nr;
	/* the process that made the record: a handler may fork before the block is put back */
	uint32_t pid;
};

struct arch_caller;

/* Report that the caller's caller, @caller if that is not NULL, has allocated a block. *@gap: bytes
 * up to the next sample of this thread's heap, 0 at first. The caller may subtract a block's size
 * itself: a block that leaves a positive gap need not be reported. */
void opprobe_allocated(const void *at, size_t size, const struct arch_caller *caller,
		       uint64_t *gap);

/* A word of 0 means that no known block has this hash: its free() need not be reported. */
extern uint32_t opprobe_filter[FILTER_SIZE];

/* Report that a block is about to be freed. */
void opprobe_free(const void *at);

/* Report that a block is about to be freed, and then that it was freed or was not freed. */
void opprobe_frees(const void *at, struct opprobe_block *block);
void opprobe_freed(const struct opprobe_block *block);
void opprobe_not_freed(const struct opprobe_block *block);

/* Return the first metric of @event, or a negative number if it was not requested. */
int opprobe_source(const char *event);

/* Add @value and 1 to the two metrics @metric and @metric + 1, at the caller of the library. */
void opprobe_called(int metric, uint64_t value);

/* Report that a jump to @env, a jmp_buf, is about to leave frames, or that the program is about to
 * walk its stack. */
void opprobe_jumps(const void *env);
void opprobe_walks(void);

/* Return the program's function of this name, for the library that contains @own, or NULL if that
 * is the next one. */
void *opprobe_real(const char *name, const void *own);

/* Defined by the library that reports these; its name. */
extern const char opprobe_marker_library[];

#endif
