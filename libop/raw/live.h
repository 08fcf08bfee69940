/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h -- the layout of .csp.live files: a program's call paths while they are counted.
 *
 * The probe counts in a shared mapping of the file, so that all of it is there whatever becomes of the program. The file
 * is a row of chunks, each of one arena: arena 0 tells of the process and its modules, each other one of a thread (and
 * of those that came after it to the same place). A reference is a place in its arena, in units of 8 bytes; 0: none.
 * Chunk k of an arena is twice as large as its chunk k - 1. Numbers are the machine's own.
 *
 * A writer makes an object complete before it links it, so that a reader may look at any time. Who reads a file that
 * is not its own checks every reference: what live_open.h and live_write.h declare does.
 */
#ifndef LIBOP_RAW_LIVE_H
#define LIBOP_RAW_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

#define RAW_LIVE_MAGIC		0x0545564c50434fULL	/* "OCPLVE", 5 as little-endian bytes, */
#define RAW_LIVE_FIRST		65536			/* bytes of chunk 0, and what chunks begin at a multiple of */
#define RAW_LIVE_MAX_CHUNKS	20
#define RAW_LIVE_MAX_ARENAS	65536
#define RAW_LIVE_MAX_METRICS	64			/* bits of columns */
#define RAW_LIVE_NAME		32
#define RAW_LIVE_PATH		4096

struct raw_live_chunk {
	uint64_t magic;
	uint32_t arena;
	uint32_t index;
	uint64_t size;			/* RAW_LIVE_FIRST << index; this header is in it */
	uint64_t reserved;
};

/* The first object of every arena. */
#define RAW_LIVE_TOP		(sizeof(struct raw_live_chunk) / 8)

/* Why a sample was taken that is in no tree. */
#define RAW_LIVE_LOSSES(X)							\
	X(UNSAFE, "unsafe")		/* in our own code, or where the user allows no sample */	\
	X(EXCEPTION, "exception")	/* where who throws one goes over to who catches it: neither's frames are whole */	\
	X(EPOCH, "epoch")		/* while modules came or went, or in one that nobody had told of */	\
	X(MEMORY, "memory")		/* there was no more */			\
	X(NO_STATE, "no state")		/* in a thread that had no state yet, or no longer had one */	\
	X(NO_ROOM, "no room")		/* in a thread whose counts are in memory only, as the disk was full */

enum raw_live_loss {
#define X(loss, name) RAW_LIVE_##loss,
	RAW_LIVE_LOSSES(X)
#undef X
	RAW_LIVE_NR_LOSSES
};

#define RAW_LIVE_HIDDEN		(1ULL << 63)	/* of .flags: in no .csp, as nothing has been counted or it is for ourselves */

/* What became of samples, or of calls: taken are those recorded and those lost, exactly. */
struct raw_live_counts {
	uint64_t taken;
	uint64_t recorded;		/* of samples: nothing, as their metrics are these */
	uint64_t complete;		/* of those recorded: the path goes to where the thread began */
	uint64_t lost[RAW_LIVE_NR_LOSSES];
};

/* What became of a thread's marker (probe/marker.h). */
#define RAW_LIVE_MARKER(X)							\
	X(SET, "set")			/* put somewhere */			\
	X(RETURNS, "returns")		/* that were noticed */			\
	X(SAMPLES, "samples")		/* taken in the trampoline, of those recorded */	\
	X(LOST, "lost")			/* it was not where it had been put */	\
	X(STRAY, "stray")		/* returns that were not those waited for */	\
	X(JUMPS, "jumps")		/* returns that a longjmp() left out */	\
	X(OTHER_STACK, "other stack")	/* samples that no marker was set for */	\
	X(NO_STUB, "no stub")		/* the same, as there are no more return addresses to be had */

enum raw_live_marker_count {
#define X(count, name) RAW_LIVE_MARKER_##count,
	RAW_LIVE_MARKER(X)
#undef X
	RAW_LIVE_NR_MARKER
};

struct raw_live_marker {
	uint64_t nr[RAW_LIVE_NR_MARKER];
};

struct raw_live_metric {
	char event[RAW_LIVE_NAME];
	uint64_t flags, period;
};

/* Metrics of the heap, when it is counted, in a row; the event "malloc" names them in this order. */
enum raw_live_heap {
	RAW_LIVE_ALLOCATED,		/* bytes */
	RAW_LIVE_FREED,			/* bytes, where they were allocated; so too the frees */
	RAW_LIVE_ALLOCATIONS,
	RAW_LIVE_FREES,
	RAW_LIVE_TEMPORARY,		/* of the frees: no other allocation of the thread was between */
	RAW_LIVE_PEAK,			/* bytes not freed when the whole heap was largest, but for a hundredth */
	RAW_LIVE_GENERATION,		/* hidden: which peak the one before is of; of an older one, it would be what is
					 * not freed now */
	RAW_LIVE_NR_HEAP
};

/* How often CPU time was sampled, by whom, and how much of it there was: user mode's where perf samples. */
struct raw_live_rate {
	uint32_t driver;		/* enum raw_probe_driver; 0: CPU time is not sampled */
	uint32_t refused;		/* the errno for which perf does not; 0: it does, or was not asked */
	uint64_t period;		/* asked for, in ns */
	uint64_t cpu_ns;		/* of the process while it was sampled; 0: not known, it has not ended */
};

#define RAW_LIVE_BY_THREAD	1u	/* of a run: each thread becomes a .csp */
#define RAW_LIVE_01_01		2u	/* ... which say that version */
#define RAW_LIVE_MARKED		4u	/* markers are set: trees are "01.0T" */

struct raw_live_run {
	uint32_t pid;
	uint32_t nr_metrics;
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
	uint64_t start_ns;		/* since boot */
	struct raw_live_rate rate;
	struct raw_live_counts samples, calls;	/* of threads without an arena in the file */
	uint32_t epochs;		/* the newest */
	uint32_t nr_epochs;
	uint64_t generation;		/* of the heap's peak; 0: no heap is counted */
	uint32_t heap;			/* the first of its metrics */
	uint32_t flags;
	uint32_t reserved;
	uint32_t command;		/* struct raw_live_text: the arguments, each with its NUL */
	char program[RAW_LIVE_PATH];
};

struct raw_live_text {
	uint32_t len;
	char bytes[];
};

/* The modules at a time. */
struct raw_live_epoch {
	uint32_t number;		/* the first is 0 */
	uint32_t older;
	uint32_t modules;		/* an array of as many references */
	uint32_t nr_modules;
	uint64_t columns;		/* metrics that its trees count: bit i for the run's .metrics[i] */
};

/* Several epochs may have it. */
struct raw_live_module {
	uint64_t preferred, mapped, size;
	uint32_t next;			/* of all, for the writer */
	uint32_t build_id_len;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t path_len;
	char path[];
};

struct raw_live_thread {
	uint32_t tid;			/* of the last one */
	uint32_t trees;			/* the newest */
	uint64_t signals;		/* that came for CPU time, whatever each counts */
	struct raw_live_counts samples;	/* by signals */
	struct raw_live_counts calls;	/* of functions that are counted, whatever they count */
	struct raw_live_marker marker;
};

struct raw_live_tree {
	uint32_t epoch;			/* its number */
	uint32_t older;
	uint32_t root;
	uint32_t reserved;
	uint64_t columns;		/* its epoch's: a node has a metric for each, the lowest bit's first */
};

#define RAW_LIVE_INTERRUPTED	1u	/* @ip is where it goes on, not behind a call */
#define RAW_LIVE_SHORT		2u	/* who called is not known */

struct raw_live_node {
	uint64_t ip, sp;
	uint32_t parent;
	uint32_t children;		/* a list by .sibling, the newest first */
	uint32_t sibling;
	/* The same children as a red-black tree: the nodes' own .left and .right, which are 0 or ref << 1 | red. */
	uint32_t by_ip;
	uint32_t left, right;
	uint32_t flags;
	uint32_t id;			/* for who writes a .csp */
	uint64_t metrics[];
};

/* How many metrics a node has, and where @metric, which is one of @columns, is among them. */
static inline uint32_t raw_live_nr_columns(uint64_t columns)
{
	uint32_t nr = 0;

	for (; columns; columns &= columns - 1)
		nr++;
	return nr;
}

static inline bool raw_live_has_column(uint64_t columns, uint32_t metric)
{
	return metric < RAW_LIVE_MAX_METRICS && columns >> metric & 1;
}

static inline uint32_t raw_live_column(uint64_t columns, uint32_t metric)
{
	return raw_live_nr_columns(columns & ((1ULL << metric) - 1));
}

/* The first @nr metrics. */
static inline uint64_t raw_live_columns(uint32_t nr)
{
	return nr ? UINT64_MAX >> (RAW_LIVE_MAX_METRICS - nr) : 0;
}

struct raw_live_arena {
	unsigned char *chunks[RAW_LIVE_MAX_CHUNKS];
};

/* Where chunk @k begins in its arena. */
static inline uint64_t raw_live_start(unsigned int k)
{
	return RAW_LIVE_FIRST * ((1ULL << k) - 1);
}

static inline unsigned int raw_live_chunk_of(uint64_t at)
{
	return 63 - __builtin_clzll(at / RAW_LIVE_FIRST + 1);
}

/* What @ref is, in an arena of our own. */
static inline void *raw_live_at(const struct raw_live_arena *arena, uint32_t ref)
{
	/* With one more first chunk, chunk k begins at RAW_LIVE_FIRST << k: the highest bit tells which it is. */
	uint64_t at = (uint64_t)ref * 8 + RAW_LIVE_FIRST;
	unsigned int bit = 63 - __builtin_clzll(at);

	return arena->chunks[bit - __builtin_ctz(RAW_LIVE_FIRST)] + (at ^ 1ULL << bit);
}

#endif
