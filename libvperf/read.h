/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * read.h -- reading of counters without a system call, from the pages that perf_events and
 * vperfctr.ko map for this purpose.
 *
 * The kernel writes both kinds of pages when it schedules the thread in, on the CPU on which the
 * thread then runs. So a reader needs no lock, only compiler barriers. It retries if the page has
 * changed during the read. A signal handler may read even if it interrupts a read. Only the thread
 * that owns the page may read it.
 *
 * Tests define VPERF_MADE_UP_COUNTERS to replace the counter registers by variables.
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

/* ---- The page of vperfctr.ko ---- */

/* Return the low @width bits of @value. If @value is the difference of two counter values, the
 * result is correct even if the counter has wrapped around between them. */
static inline uint64_t vperf_low_bits(uint64_t value, uint64_t width)
{
	return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

/* Return the thread's virtual TSC. */
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

/* Read the count of slot @i from the page into *@ret. Return false if the page does not contain all
 * data for this: then the caller uses a system call. */
static inline bool vperf_state_pmc(const volatile struct vperfctr_state *state, unsigned int i,
				   uint64_t *ret)
{
	const volatile struct vperfctr_cpu_state *cpu = &state->cpu_state;
	uint64_t start, map, value;

	do {
		start = cpu->tsc_start;
		VPERF_BARRIER();
		map = cpu->pmc[i].map;
		if (!VPERF_HAVE_PMC || !(map & VPERFCTR_MAP_VALID))
			return false;
		value = cpu->pmc[i].sum +
			vperf_low_bits(vperf_pmc_now(VPERFCTR_MAP_INDEX(map)) - cpu->pmc[i].start,
				       cpu->pmc[i].width);
		VPERF_BARRIER();
	} while (cpu->tsc_start != start);
	*ret = value;
	return true;
}

/* Read the virtual TSC and the first @nr slots from the page, without a context switch in
 * between. Return false if the page does not contain all data for this: then the caller uses a
 * system call. */
static inline bool vperf_state_all(const volatile struct vperfctr_state *state, unsigned int nr,
				   uint64_t *tsc, uint64_t *values)
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
				    vperf_low_bits(vperf_pmc_now(VPERFCTR_MAP_INDEX(map)) -
							   cpu->pmc[i].start,
						   cpu->pmc[i].width);
		}
		VPERF_BARRIER();
	} while (cpu->tsc_start != start);
	return true;
}

/* ---- The page of perf_events, as described in linux/perf_event.h ---- */

/* Read the time in ns for which the event was enabled while its thread ran. Return false if this
 * kernel's page does not contain the time. */
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
		/* the cycle counter has fewer than 64 bits */
		if (page->cap_user_time_short)
			cycles = page->time_cycles +
				 ((cycles - page->time_cycles) & page->time_mask);
		shift = page->time_shift;
		mult = page->time_mult;
		value = page->time_enabled + page->time_offset + (cycles >> shift) * mult +
			(((cycles & (((uint64_t)1 << shift) - 1)) * mult) >> shift);
		VPERF_BARRIER();
	} while (page->lock != lock);
	*ret = value;
	return true;
}

/* Read the event's count. Return false if the event has no counter at the moment, or if user mode
 * may not read the counter. */
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
		/* Sign-extend the counter, which has pmc_width bits: the kernel starts counters
		 * below zero. */
		count = vperf_pmc_now(index - 1) << (64 - page->pmc_width);
		value = (uint64_t)page->offset +
			(uint64_t)((int64_t)count >> (64 - page->pmc_width));
		VPERF_BARRIER();
	} while (page->lock != lock);
	*ret = value;
	return true;
}

#endif
