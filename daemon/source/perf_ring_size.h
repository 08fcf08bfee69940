/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ring_size.h -- sizes of the perf_events rings, within memory limits.
 *
 * A ring holds the samples of half a second, because on a busy machine the daemon may wait that
 * long for a CPU. An ordinary user's limit of locked memory allows only smaller rings.
 */
#ifndef OPD_PERF_RING_SIZE_H
#define OPD_PERF_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_event_spec;

/* size in bytes of a sample with a stack, without the copied stack itself: registers and kernel
 * frames */
#define OPD_PERF_STACK_EXTRA	1280

/* Sizes of one CPU's rings in bytes, powers of two. */
struct opd_perf_ring_sizes {
	size_t samples, notices;
};

/* Limits of the memory of all rings together. */
struct opd_perf_ring_limits {
	uint64_t memory;	/* limit in bytes that depends on the machine's memory */
	/* number of bytes of memory that the user may lock for rings; UINT64_MAX: no limit */
	uint64_t locked;
	size_t nr_cpus;
	/* Only a few processes are sampled, and locked memory is limited: then the rings hold the
	 * samples of only 15 ms, so that the copies of stacks can be large. Otherwise the rings
	 * hold the samples of half a second, because a quota (CPUQuota= of the service) may stop
	 * the daemon. */
	bool brief;
};

/* Return the limits of this machine and this user for rings of @nr_cpus CPUs. */
struct opd_perf_ring_limits opd_perf_ring_limits(size_t nr_cpus);

/* Return the number of samples per second on one CPU. For events with counts, this is an
 * estimate. */
uint64_t opd_perf_sample_rate(const struct op_event_spec *events, size_t nr);

/* Return the size in bytes of a sample in a ring. @stack: number of bytes copied from the stack; 0:
 * the stack is not copied. */
size_t opd_perf_sample_bytes(unsigned int stack);

/* Return the sizes of rings for @rate samples per second of @bytes bytes each, without memory
 * limits. */
struct opd_perf_ring_sizes opd_perf_rings_size(uint64_t rate, size_t bytes);

#define OPD_PERF_LEAST_COPY	(16u << 10)

/*
 * Return the number of stack bytes to copy into each sample, for @rate samples per second and CPU:
 * the largest copy for which rings within @limits hold the samples of half a second, or of 15 ms
 * if @limits->brief; but at least OPD_PERF_LEAST_COPY.
 */
unsigned int opd_perf_stack_copy(uint64_t rate, const struct opd_perf_ring_limits *limits);

/* Return the memory in bytes that the rings of all CPUs need. */
uint64_t opd_perf_rings_bytes(const struct opd_perf_ring_sizes *sizes, size_t nr_cpus);

/* Halve the sizes in @sizes until the rings of all CPUs are within @limits or have the minimum
 * size. */
void opd_perf_rings_fit(struct opd_perf_ring_sizes *sizes,
			const struct opd_perf_ring_limits *limits);

/* Read, from the file @meminfo (proc_meminfo(5)), the memory in bytes that is available without
 * swapping. Return 0 if the file does not contain it. */
uint64_t opd_perf_available_bytes(const char *meminfo);

/* Return the limit of the total size of the samples that wait for unwind tables, for all CPUs
 * together, in bytes. @available: available memory in bytes. */
uint64_t opd_perf_delay_limit(uint64_t available);

#endif
