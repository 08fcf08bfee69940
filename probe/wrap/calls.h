/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h -- what libraries that stand in for functions tell libopprobe.so, which is preloaded before each.
 *
 * Such a library is one file: it finds out by opprobe_source() whether its event is asked for, and tells of each call. Its
 * own frames are in no path, as it is known by where it calls from; so no call of these may be a jump.
 */
#ifndef PROBE_WRAP_CALLS_H
#define PROBE_WRAP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/wrap/filter.h"

/* What is known of a block, to be handed back. */
struct opprobe_block {
	uintptr_t at;			/* 0: nothing */
	uint64_t size;
	void *node;
	uint32_t nr;
	uint32_t pid;			/* of the process that knows it: a handler may fork before it is handed back */
};

struct arch_caller;

/* The caller's caller, which is @caller if that is told, has allocated a block. *@gap: bytes up to the next sample of this thread's
 * heap, as the caller may count down by itself: a block of fewer, but not of none, has not to be told of. 0 at first. */
void opprobe_allocated(const void *at, size_t size, const struct arch_caller *caller, uint64_t *gap);

/* A word of it is 0: no block of that hash is known, and none has to be told of when it is freed. */
extern uint32_t opprobe_filter[FILTER_SIZE];

/* A block will be freed. */
void opprobe_free(const void *at);

/* The same, and then it was, or it was not after all. */
void opprobe_frees(const void *at, struct opprobe_block *block);
void opprobe_freed(const struct opprobe_block *block);
void opprobe_not_freed(const struct opprobe_block *block);

/* The first of @event's metrics; negative: nobody has asked for it. */
int opprobe_source(const char *event);

/* Adds @value and 1 to two metrics, @metric and the next one, at who called the library. */
void opprobe_called(int metric, uint64_t value);

/* Frames are left by a jump to @env, a jmp_buf; the program's stack is about to be walked. */
void opprobe_jumps(const void *env);
void opprobe_walks(void);

/* The function of that name which is the program's, for the library that has @own in it. NULL: the next one is. */
void *opprobe_real(const char *name, const void *own);

/* A library of this name is there that tells of these. */
extern const char opprobe_marker_library[];

#endif
