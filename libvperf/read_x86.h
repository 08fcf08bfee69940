/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read_x86.h -- instructions that read counters in user mode on x86.
 *
 * The reads do not wait for earlier instructions, because waiting costs more than the read itself:
 * add a fence to measure very short code.
 */
#ifndef VPERF_READ_X86_H
#define VPERF_READ_X86_H

#include <stdint.h>

/* rdtsc and rdpmc return the halves of a 64-bit counter in eax and edx. On x86_64 they zero the
 * upper halves of rax and rdx. */
#ifdef __x86_64__
typedef uint64_t vperf_half;
#else
typedef uint32_t vperf_half;
#endif

static inline uint64_t vperf_tsc_now(void)
{
	vperf_half low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Read counter @index with rdpmc. The CPU raises SIGSEGV unless the kernel allows the read. */
static inline uint64_t vperf_pmc_now(uint32_t index)
{
	vperf_half low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

#define VPERF_HAVE_PMC	1

#endif
