/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read.h -- reading counters without a call: the loops over the two kinds of pages that kernels map for it.
 *
 * Both pages are written when the thread comes to a CPU, on that CPU. So the reader needs no barrier but the
 * compiler's, takes no lock, and begins anew when the page has changed meanwhile: a signal handler may read while
 * it interrupts a read. That holds for the thread whose page it is, and for no other.
 *
 * A test that defines VPERF_MADE_UP_COUNTERS brings counters of its own.
 */
#ifndef VPERF_READ_H
#define VPERF_READ_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "module/uapi/vperfctr.h"

#ifndef VPERF_MADE_UP_COUNTERS
#if defined(__x86_64__) || defined(__i386__)
#include "libvperf/read_x86.h"
#elif defined(__aarch64__)
#include "libvperf/read_arm64.h"
#else
#include "libvperf/read_none.h"
#endif
#endif

#define VPERF_BARRIER()	__asm__ volatile("" : : : "memory")

/* The module's page. */

/* The counter's low @width bits are there; a difference is right however often they wrapped below that. */
static inline uint64_t vperf_low_bits(uint64_t value, uint64_t width)
{
	return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

/* The thread's virtual TSC. */
static inline uint64_t vperf_state_tsc(const volatile struct vperfctr_state *state)
{
	const volatile struct vperfctr_cpu_state *cpu = &state->cpu_state;
	uint64_t start, value;

	do {
		start = cpu->tsc_start;
		VPERF_BARRIER();
		value = cpu->tsc_sum;
		if (cpu->cstatus & VPERFCTR_CSTATUS_RUNNING)
			value += vperf_tsc_now() - start;
		VPERF_BARRIER();
	} while (cpu->tsc_start != start);
	return value;
}

/* Slot @i in *@ret. False: the page does not tell, the kernel has to be asked. */
static inline bool vperf_state_pmc(const volatile struct vperfctr_state *state, unsigned int i, uint64_t *ret)
{
	const volatile struct vperfctr_cpu_state *cpu = &state->cpu_state;
	uint64_t start, map, value;

	do {
		start = cpu->tsc_start;
		VPERF_BARRIER();
		map = cpu->pmc[i].map;
		if (!VPERF_HAVE_PMC || !(map & VPERFCTR_MAP_VALID))
			return false;
		value = cpu->pmc[i].sum + vperf_low_bits(vperf_pmc_now(VPERFCTR_MAP_INDEX(map)) - cpu->pmc[i].start,
							 cpu->pmc[i].width);
		VPERF_BARRIER();
	} while (cpu->tsc_start != start);
	*ret = value;
	return true;
}

/* The virtual TSC and slots [0, @nr) of one moment, all of one stay on the CPU. False as above. */
static inline bool vperf_state_all(const volatile struct vperfctr_state *state, unsigned int nr, uint64_t *tsc,
				   uint64_t *values)
{
	const volatile struct vperfctr_cpu_state *cpu = &state->cpu_state;
	uint64_t start;

	do {
		start = cpu->tsc_start;
		VPERF_BARRIER();
		*tsc = cpu->tsc_sum;
		if (cpu->cstatus & VPERFCTR_CSTATUS_RUNNING)
			*tsc += vperf_tsc_now() - start;
		for (unsigned int i = 0; i < nr; i++) {
			uint64_t map = cpu->pmc[i].map;

			if (!VPERF_HAVE_PMC || !(map & VPERFCTR_MAP_VALID))
				return false;
			values[i] = cpu->pmc[i].sum +
				    vperf_low_bits(vperf_pmc_now(VPERFCTR_MAP_INDEX(map)) - cpu->pmc[i].start,
						   cpu->pmc[i].width);
		}
		VPERF_BARRIER();
	} while (cpu->tsc_start != start);
	return true;
}

/* The page of perf_events, as linux/perf_event.h explains it. */

/* How long the event was enabled while its thread ran, in ns. False: this kernel's page does not tell. */
static inline bool vperf_perf_time(const volatile struct perf_event_mmap_page *page, uint64_t *ret)
{
	uint32_t lock, shift, mult;
	uint64_t cycles, value;

	do {
		lock = page->lock;
		VPERF_BARRIER();
		if (!page->cap_user_time)
			return false;
		cycles = vperf_tsc_now();
		if (page->cap_user_time_short)	/* a counter of fewer than 64 bits */
			cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
		shift = page->time_shift;
		mult = page->time_mult;
		value = page->time_enabled + page->time_offset + (cycles >> shift) * mult +
			(((cycles & (((uint64_t)1 << shift) - 1)) * mult) >> shift);
		VPERF_BARRIER();
	} while (page->lock != lock);
	*ret = value;
	return true;
}

/* How often the event happened. False: it has no counter now, or one that only the kernel may read. */
static inline bool vperf_perf_count(const volatile struct perf_event_mmap_page *page, uint64_t *ret)
{
	uint32_t lock, index;
	uint64_t value, count;

	do {
		lock = page->lock;
		VPERF_BARRIER();
		index = page->index;
		if (!VPERF_HAVE_PMC || !page->cap_user_rdpmc || !index || !page->pmc_width)
			return false;
		/* Signed, pmc_width bits wide: the kernel lets a counter begin below zero. */
		count = vperf_pmc_now(index - 1) << (64 - page->pmc_width);
		value = (uint64_t)page->offset + (uint64_t)((int64_t)count >> (64 - page->pmc_width));
		VPERF_BARRIER();
	} while (page->lock != lock);
	*ret = value;
	return true;
}

#endif
