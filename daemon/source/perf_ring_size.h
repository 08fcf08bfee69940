/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring_size.h -- sizes of the rings of perf_events, within limits of memory.
 *
 * A ring holds the samples of half a second, because the daemon may wait that long for a CPU on a
 * busy machine. A user's limit of locked memory allows only part of that.
 */
#ifndef OPD_PERF_RING_SIZE_H
#define OPD_PERF_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_event_spec;

/* bytes of a sample with its stack, beside the copy: registers and the kernel's part */
#define OPD_PERF_STACK_EXTRA	1280

/* Bytes of one CPU's rings, powers of two. */
struct opd_perf_ring_sizes {
	size_t samples, notices;
};

/* Limits of the rings of all CPUs together. */
struct opd_perf_ring_limits {
	uint64_t memory;	/* bytes of memory */
	uint64_t locked;	/* bytes that the user may lock; UINT64_MAX: not limited */
	size_t nr_cpus;
};

/* Return the limits of this machine and this user, for rings on @nr_cpus CPUs. */
struct opd_perf_ring_limits opd_perf_ring_limits(size_t nr_cpus);

/* Return the samples a second on one CPU. This is an estimate for counted events. */
uint64_t opd_perf_sample_rate(const struct op_event_spec *events, size_t nr);

/* Return the bytes of a sample in the ring. @stack: bytes of the copy of the stack, 0 for none. */
size_t opd_perf_sample_bytes(unsigned int stack);

/* Return the sizes for @rate samples a second of @bytes each, without limits. */
struct opd_perf_ring_sizes opd_perf_rings_wanted(uint64_t rate, size_t bytes);

#define OPD_PERF_LEAST_COPY	(16u << 10)

/*
 * Return the bytes of the stack to copy with each of @rate samples a second on one CPU: the largest
 * copy with which rings within @limits hold half a second. If locked memory is limited, the rings
 * hold at least 15 ms. Return OPD_PERF_LEAST_COPY if there is no such copy.
 */
unsigned int opd_perf_stack_copy(uint64_t rate, const struct opd_perf_ring_limits *limits);

/* Return the bytes of memory of the rings of all CPUs. */
uint64_t opd_perf_rings_bytes(const struct opd_perf_ring_sizes *sizes, size_t nr_cpus);

/* Halve @sizes until they are within @limits, or the smallest ones. */
void opd_perf_rings_fit(struct opd_perf_ring_sizes *sizes,
			const struct opd_perf_ring_limits *limits);

/* Return the bytes of memory that programs can have without swapping, from the file @meminfo
 * (proc_meminfo(5)); 0 if it has no such line. */
uint64_t opd_perf_available_bytes(const char *meminfo);

/* Return the maximum of bytes in samples that wait for unwind tables, for all CPUs together.
 * @available: free bytes of memory. */
uint64_t opd_perf_held_bytes(uint64_t available);

#endif
