/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read_arm64.h -- instructions that read counters in user mode on 64-bit ARM.
 *
 * The number of a counter is part of the instruction, so each counter has its own instruction. The
 * reads do not wait for earlier instructions, because waiting costs more than the read itself: add
 * a barrier to measure very short code.
 */
#ifndef VPERF_READ_ARM64_H
#define VPERF_READ_ARM64_H

#include <stdint.h>

static inline uint64_t vperf_tsc_now(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

#define VPERF_PMEVCNTR(n) \
	case n: \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break

/* Read counter @index: N of pmevcntrN_el0, or 31 for pmccntr_el0. The CPU raises SIGILL unless the
 * kernel allows the read. */
static inline uint64_t vperf_pmc_now(uint32_t index)
{
	uint64_t value = 0;

	switch (index) {
	VPERF_PMEVCNTR(0);
	VPERF_PMEVCNTR(1);
	VPERF_PMEVCNTR(2);
	VPERF_PMEVCNTR(3);
	VPERF_PMEVCNTR(4);
	VPERF_PMEVCNTR(5);
	VPERF_PMEVCNTR(6);
	VPERF_PMEVCNTR(7);
	VPERF_PMEVCNTR(8);
	VPERF_PMEVCNTR(9);
	VPERF_PMEVCNTR(10);
	VPERF_PMEVCNTR(11);
	VPERF_PMEVCNTR(12);
	VPERF_PMEVCNTR(13);
	VPERF_PMEVCNTR(14);
	VPERF_PMEVCNTR(15);
	VPERF_PMEVCNTR(16);
	VPERF_PMEVCNTR(17);
	VPERF_PMEVCNTR(18);
	VPERF_PMEVCNTR(19);
	VPERF_PMEVCNTR(20);
	VPERF_PMEVCNTR(21);
	VPERF_PMEVCNTR(22);
	VPERF_PMEVCNTR(23);
	VPERF_PMEVCNTR(24);
	VPERF_PMEVCNTR(25);
	VPERF_PMEVCNTR(26);
	VPERF_PMEVCNTR(27);
	VPERF_PMEVCNTR(28);
	VPERF_PMEVCNTR(29);
	VPERF_PMEVCNTR(30);
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	}
	return value;
}

#undef VPERF_PMEVCNTR
#define VPERF_HAVE_PMC	1

#endif
