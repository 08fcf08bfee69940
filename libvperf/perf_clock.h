/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_clock.h -- a thread's virtual time by perf_events, mostly without a call.
 *
 * Its source is the page of a task-clock event. Where the kernel puts the factors from cycles to time in there, they
 * are used. Many virtual machines' kernels do not; but all write the page, and move its `lock`, whenever the thread
 * comes to a CPU. So virtual time goes on as the machine's clock does (vDSO: no call either), from the last value
 * that the kernel told, until `lock` moves.
 */
#ifndef VPERF_PERF_CLOCK_H
#define VPERF_PERF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/* Its owner reads, and signal handlers that interrupt such a read: odd @seq: the rest is being written. */
struct perf_clock {
	int fd;
	size_t page_size;
	const volatile struct perf_event_mmap_page *page;	/* NULL: each read is a call */
	volatile uint32_t seq;
	uint32_t lock;		/* of the page; odd: nothing is known */
	uint64_t value, raw;	/* what the kernel told, and CLOCK_MONOTONIC_RAW then; in ns */
	uint64_t last;		/* what was told to the user; time does not go backwards */
};

/* @fd becomes the clock's. @mapped: of the calling thread. */
void perf_clock_init(struct perf_clock *clock, int fd, bool mapped);
void perf_clock_release(struct perf_clock *clock);

/* Nothing that is known holds on: counting has been stopped or started. */
void perf_clock_forget(struct perf_clock *clock);

/* How long the event was enabled while its thread ran, in ns. @runs: is now. 0 or negative errno. */
int perf_clock_read(struct perf_clock *clock, bool runs, uint64_t *ret);

#endif
