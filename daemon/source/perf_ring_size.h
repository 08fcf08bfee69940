/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring_size.h -- sizes of perf_events' rings, within limits of memory.
 *
 * A ring holds the samples of half a second, because the daemon may wait that long for a CPU on a
 * busy machine. An ordinary user's limit of locked memory allows only smaller rings.
 */
#ifndef OPD_PERF_RING_SIZE_H
#define OPD_PERF_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_event_spec;

/* size of a sample with a stack, without the copied bytes of the stack: registers and the kernel's
 * frames */
#define OPD_PERF_STACK_EXTRA	1280

/* Sizes of one CPU's rings in bytes. The sizes are powers of two. */
struct opd_perf_ring_sizes {
	size_t samples, notices;
};

/* Limits of the memory of all CPUs' rings together. */
struct opd_perf_ring_limits {
	uint64_t memory;	/* limit by the size of the machine's memory, in bytes */
	/* number of bytes that the user may lock; UINT64_MAX: not limited */
	uint64_t locked;
	size_t nr_cpus;
};

/* Return the limits of this machine and this user, for rings on @nr_cpus CPUs. */
struct opd_perf_ring_limits opd_perf_ring_limits(size_t nr_cpus);

/* Return the number of samples per second on one CPU. For counted events this is an estimate. */
uint64_t opd_perf_sample_rate(const struct op_event_spec *events, size_t nr);

/* Return the size of a sample in the ring, in bytes. @stack: number of bytes that are copied from
 * the stack; 0: no stack. */
size_t opd_perf_sample_bytes(unsigned int stack);

/* Return the sizes of rings for @rate samples per second of @bytes bytes each, regardless of limits
 * of memory. */
struct opd_perf_ring_sizes opd_perf_rings_wanted(uint64_t rate, size_t bytes);

#define OPD_PERF_LEAST_COPY	(16u << 10)

/*
 * Return the number of bytes of the stack to copy into each of @rate samples per second on one CPU.
 * Choose the largest copy with which rings within @limits hold the samples of half a second; if
 * locked memory is limited, of 15 ms. Return OPD_PERF_LEAST_COPY if even smaller copies do not meet
 * this condition.
 */
unsigned int opd_perf_stack_copy(uint64_t rate, const struct opd_perf_ring_limits *limits);

/* Return the size in memory of the rings of all CPUs. */
uint64_t opd_perf_rings_bytes(const struct opd_perf_ring_sizes *sizes, size_t nr_cpus);

/* Halve @sizes until rings of these sizes are within @limits, or have the smallest size. */
void opd_perf_rings_fit(struct opd_perf_ring_sizes *sizes,
			const struct opd_perf_ring_limits *limits);

/* Return the number of bytes of memory that programs can get without swapping, from the file
 * @meminfo (proc_meminfo(5)). Return 0 if the file does not contain this number. */
uint64_t opd_perf_available_bytes(const char *meminfo);

/* Return the limit of bytes in samples that are held back for unwind tables, for all CPUs together.
 * @available: free bytes of memory. */
uint64_t opd_perf_held_bytes(uint64_t available);

#endif
