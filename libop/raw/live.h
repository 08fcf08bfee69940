/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h -- the layout of .csp.live files: call paths of a program that is still being profiled.
 *
 * The probe increments its counts in a shared mapping of the file, so that a killed program loses
 * no count. The file is a sequence of chunks. An arena, the memory of one writer, consists of
 * several chunks. Arena 0 describes the process and its modules. Each other arena belongs to a
 * thread, and after the thread's end to later threads. A reference is an offset in an arena in
 * units of 8 bytes; 0 is the null reference. Chunk k + 1 of an arena is twice as large as chunk k.
 * Numbers have the machine's byte order.
 *
 * A writer completes an object before it links the object, so that a reader may read at any time. A
 * reader of another process's file must check all references, as the functions of live_tree.h and
 * live_to_csp.h do.
 */
#ifndef LIBOP_RAW_LIVE_H
#define LIBOP_RAW_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

/* the bytes of "OCPLVE", then the version 5 */
#define RAW_LIVE_MAGIC		0x0545564c50434fULL
/* size of chunk 0 in bytes, and alignment of all chunks */
#define RAW_LIVE_FIRST		65536
#define RAW_LIVE_MAX_CHUNKS	20
#define RAW_LIVE_MAX_ARENAS	65536
/* maximum number of metrics; each metric is a bit in masks of metrics */
#define RAW_LIVE_MAX_METRICS	64
#define RAW_LIVE_NAME		32
#define RAW_LIVE_PATH		4096

struct raw_live_chunk {
	uint64_t magic;
	uint32_t arena;
	uint32_t index;
	/* size of the chunk, including this header: RAW_LIVE_FIRST << .index */
	uint64_t size;
	uint64_t reserved;
};

/* Reference to the first object of an arena, just after the header of its first chunk. */
#define RAW_LIVE_TOP		(sizeof(struct raw_live_chunk) / 8)

/* Reasons why a sample is lost: X(constant, name in the .csp file). */
#define RAW_LIVE_LOSSES(X)							\
	X(UNSAFE, "unsafe")		/* samples lost in the probe's code, or in code that the user excluded */	\
	X(EXCEPTION, "exception")	/* samples lost while an exception was being thrown: the
					 * stack is incomplete then */	\
	X(EPOCH, "epoch")		/* samples lost while modules were loaded or unloaded, or in unknown modules */	\
	X(MEMORY, "memory")		/* samples lost because memory was short */			\
	X(NO_STATE, "no state")		/* samples lost in a thread without data of the probe */	\
	X(NO_ROOM, "no room")	/* samples counted in memory only, because the disk was full */

enum raw_live_loss {
#define X(loss, name) RAW_LIVE_##loss,
	RAW_LIVE_LOSSES(X)
#undef X
	RAW_LIVE_NR_LOSSES
};

/* flag of a metric: not written to the .csp file, because the metric has no counts or is
 * internal */
#define RAW_LIVE_HIDDEN		(1ULL << 63)

/* Numbers of samples, or of calls: .taken == .recorded + all elements of .lost. */
struct raw_live_counts {
	uint64_t taken;
	/* number of recorded calls; not used for samples, whose number is the sum of a metric's
	 * counts */
	uint64_t recorded;
	/* number of recorded call paths that reach the start of the thread */
	uint64_t complete;
	uint64_t lost[RAW_LIVE_NR_LOSSES];
};

/* Counters of a thread's marker, which notices the return of a frame (probe/core/marker.h). */
#define RAW_LIVE_MARKER(X)							\
	X(SET, "set")			/* number of markers placed on the stack */			\
	X(RETURNS, "returns")		/* number of returns that markers noticed */	\
	X(SAMPLES, "samples")		/* number of samples taken in the trampoline, the code to
					 * which a marked frame returns */	\
	X(LOST, "lost")			/* number of markers that had left the stack */	\
	X(STRAY, "stray")		/* number of unexpected returns */	\
	X(JUMPS, "jumps")		/* number of marked frames that a longjmp() left */	\
	X(OTHER_STACK, "other stack")	/* number of samples not on the marker's stack */	\
	X(NO_STUB, "no stub")		/* number of samples without a marker, because all stubs
					 * (return addresses of markers) are in use */

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

/* The metrics of the heap, in the order of the event "malloc"; their indexes are consecutive. */
enum raw_live_heap {
	RAW_LIVE_ALLOCATED, /* number of bytes that the program has allocated */
	/* number of bytes freed. This number, and the numbers of allocations and frees, are counted
	 * at the call path of the allocation */
	RAW_LIVE_FREED,
	RAW_LIVE_ALLOCATIONS,
	RAW_LIVE_FREES,
	/* number of temporary blocks: freed before their thread allocated another block */
	RAW_LIVE_TEMPORARY,
	/* number of bytes that were in use at the heap's peak, within 1 % */
	RAW_LIVE_PEAK,
	/*
	 * hidden metric: the number of a peak. RAW_LIVE_PEAK of the node is the number of bytes at
	 * this peak of the heap. If the heap has had a later peak, the node has not changed since
	 * that peak, so its bytes at the later peak are its bytes in use now.
	 */
	RAW_LIVE_GENERATION,
	RAW_LIVE_NR_HEAP
};

/* Data for the rate of samples of CPU time: the driver (source of signals), the period, and the CPU
 * time. With the driver perf, CPU time is time in user mode. */
struct raw_live_rate {
	/* driver for samples of CPU time, enum raw_probe_driver; 0: CPU time is not sampled */
	uint32_t driver;
	/* errno of a failed perf_event_open(2); 0: the call succeeded, or was not made */
	uint32_t refused;
	uint64_t period;		/* requested time between two samples of CPU time, in ns */
	/* CPU time of the process while it was sampled; 0: unknown, because the process has not
	 * ended */
	uint64_t cpu_ns;
};

/* flag of the run: write a separate .csp file for each thread */
#define RAW_LIVE_BY_THREAD	1u
#define RAW_LIVE_01_01		2u	/* flag of the run: write a .csp file of version 01.01 */
/* flag of the run: markers notice returns, and trees have the version "01.0T" */
#define RAW_LIVE_MARKED		4u

struct raw_live_run {
	uint32_t pid;
	uint32_t nr_metrics;
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
	uint64_t start_ns;		/* time at which the run started, in ns since the boot */
	struct raw_live_rate rate;
	/* counts for threads that have no arena in the file */
	struct raw_live_counts samples, calls;
	uint32_t epochs;		/* reference to the newest epoch (struct raw_live_epoch) */
	uint32_t nr_epochs;
	/* number of the heap's last peak; 0: the heap is not profiled */
	uint64_t generation;
	uint32_t heap;			/* index of the first metric of the heap */
	uint32_t flags;
	uint32_t reserved;
	/* reference to a struct raw_live_text: the command's arguments, each followed by a NUL */
	uint32_t command;
	char program[RAW_LIVE_PATH];
};

struct raw_live_text {
	uint32_t len;
	char bytes[];
};

/* An epoch: a period during which the set of loaded modules did not change. */
struct raw_live_epoch {
	uint32_t number;		/* number of the epoch, from 0 on */
	uint32_t older;
	uint32_t modules;	/* reference to an array with a reference to each loaded module */
	uint32_t nr_modules;
	/* mask of the metrics for which trees of this epoch have counts: bit i for .metrics[i] of
	 * the run */
	uint64_t columns;
};

/* A module (executable or library). Several epochs may refer to one module. */
struct raw_live_module {
	uint64_t preferred, mapped, size;
	/* reference to the next module in the list of all modules; used when the .csp file is
	 * written */
	uint32_t next;
	uint32_t build_id_len;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t path_len;
	char path[];
};

struct raw_live_thread {
	uint32_t tid;			/* id of the thread that used the arena last */
	uint32_t trees;	/* reference to the thread's newest tree (struct raw_live_tree) */
	/* number of signals that the driver for CPU time has sent to the thread */
	uint64_t signals;
	struct raw_live_counts samples;	/* accounting of the samples of this thread */
	/* accounting of the thread's calls of malloc() and other counted functions */
	struct raw_live_counts calls;
	struct raw_live_marker marker;
};

struct raw_live_tree {
	uint32_t epoch;	/* number of the epoch in which the tree's paths were counted */
	uint32_t older;
	uint32_t root;
	uint32_t reserved;
	/* mask of the metrics for which the tree's nodes have counts. A node stores its counts in
	 * the order of the bits, lowest bit first */
	uint64_t columns;
};

/* flag of a node: .ip is the address of the next instruction to execute, not a return address */
#define RAW_LIVE_INTERRUPTED	1u
#define RAW_LIVE_SHORT		2u	/* flag of a node: its caller is unknown */

struct raw_live_node {
	uint64_t ip, sp;
	uint32_t parent;
	/* reference to the newest child; its .sibling refers to the next child */
	uint32_t children;
	uint32_t sibling;
	/* .by_ip: root of a red-black tree of the children, ordered by .ip. .by_ip, .left and
	 * .right are 0, or refer to a node: ref << 1 | 1 for a red node, ref << 1 for a black
	 * node. */
	uint32_t by_ip;
	uint32_t left, right;
	uint32_t flags;
	uint32_t id;	/* number of the node, assigned when the .csp file is written */
	uint64_t metrics[];
};

/* raw_live_nr_columns(): return the number of metrics in @columns. raw_live_column(): return the
 * index of the count of @metric in a node that has the metrics @columns; @metric must be in
 * @columns. */
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

/* Return a mask of the metrics 0 to @nr - 1. */
static inline uint64_t raw_live_columns(uint32_t nr)
{
	return nr ? UINT64_MAX >> (RAW_LIVE_MAX_METRICS - nr) : 0;
}

struct raw_live_arena {
	unsigned char *chunks[RAW_LIVE_MAX_CHUNKS];
};

/* Return the offset of chunk @k in its arena, in bytes. */
static inline uint64_t raw_live_start(unsigned int k)
{
	return RAW_LIVE_FIRST * ((1ULL << k) - 1);
}

static inline unsigned int raw_live_chunk_of(uint64_t at)
{
	return 63 - __builtin_clzll(at / RAW_LIVE_FIRST + 1);
}

/* Return the object at the reference @ref, in an arena of this process. */
static inline void *raw_live_at(const struct raw_live_arena *arena, uint32_t ref)
{
	/*
	 * Chunk k begins at RAW_LIVE_FIRST * (2^k - 1). So after RAW_LIVE_FIRST has been added to
	 * an offset, the highest bit set determines the chunk, and the other bits are the offset in
	 * the chunk.
	 */
	uint64_t at = (uint64_t)ref * 8 + RAW_LIVE_FIRST;
	unsigned int bit = 63 - __builtin_clzll(at);

	return arena->chunks[bit - __builtin_ctz(RAW_LIVE_FIRST)] + (at ^ 1ULL << bit);
}

#endif
