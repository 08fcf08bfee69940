/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_clock.h -- a thread's virtual time from perf_events, mostly without a system call.
 *
 * The source is the mapped page of a task-clock event. If the kernel stores the conversion from
 * cycles to time in the page, the clock uses it. Kernels in many virtual machines do not store it.
 * But each kernel updates the page, and its member `lock`, when the thread is scheduled in. Until
 * `lock` changes, virtual time advances like the machine's clock. So the clock adds to the kernel's
 * last value the time since then, which the vDSO reads without a system call.
 */
#ifndef VPERF_PERF_CLOCK_H
#define VPERF_PERF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/* A clock is read only by the thread that owns it, and by signal handlers that interrupt a read of
 * that thread. @seq is odd while the stored value is updated. */
struct perf_clock {
	int fd;
	size_t page_size;
	/* mapped page of the event; NULL: each read is a system call */
	const volatile struct perf_event_mmap_page *page;
	volatile uint32_t seq;
	uint32_t lock;		/* the page's lock when @value was read; odd: @value is not valid */
	/* the kernel's last value, and CLOCK_MONOTONIC_RAW at that time; in ns */
	uint64_t value, raw;
	/* last value that was returned to the user, so that the clock never goes backwards */
	uint64_t last;
};

/* Initialize a clock that takes over @fd. @mapped: map the page; only for events of the calling
 * thread. */
void perf_clock_init(struct perf_clock *clock, int fd, bool mapped);
void perf_clock_release(struct perf_clock *clock);

/* Discard the stored value, because counting was stopped or started. */
void perf_clock_forget(struct perf_clock *clock);

/* Get the time in ns during which the event was enabled and its thread ran. @runs: the event is
 * enabled now. Return 0 or a negative errno. */
int perf_clock_read(struct perf_clock *clock, bool runs, uint64_t *ret);

#endif
