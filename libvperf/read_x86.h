/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read_x86.h -- the instructions by which x86 reads its counters in user mode.
 *
 * Neither waits for what stands before it in the program: that costs more than the read, and whoever measures code
 * as short as that has to fence by himself.
 */
#ifndef VPERF_READ_X86_H
#define VPERF_READ_X86_H

#include <stdint.h>

/* Half of a counter, in a register whose upper half is zero: so nothing has to be cleared. */
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

/* @index: as rdpmc has it. Only where the kernel says that it may be read: it is a SIGSEGV elsewhere. */
static inline uint64_t vperf_pmc_now(uint32_t index)
{
	vperf_half low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

#define VPERF_HAVE_PMC	1

#endif
