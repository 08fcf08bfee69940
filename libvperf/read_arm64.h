/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read_arm64.h -- the instructions by which 64-bit ARM reads its counters in user mode.
 *
 * A counter's number is part of an instruction, so there is one for each. Neither waits for what stands before it
 * in the program: that costs more than the read, and whoever measures code as short as that has to fence by himself.
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

/* @index: N of pmevcntrN_el0, 31 for pmccntr_el0. Only where the kernel says that it may be read: a SIGILL elsewhere. */
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
