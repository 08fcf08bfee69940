/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_clock.h -- a thread's virtual time from perf_events, mostly without a system call.
 *
 * The source is the mapped page of a task-clock event. If the page contains the kernel's conversion
 * from cycles to time, the clock uses it. In many virtual machines the page does not contain the
 * conversion. But the kernel always updates the page, and its member `lock`, when the thread is
 * scheduled in. Until `lock` changes, virtual time advances like the machine's clock. So the clock
 * reads the elapsed time from the vDSO, and adds it to the last value that the kernel returned.
 */
#ifndef VPERF_PERF_CLOCK_H
#define VPERF_PERF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/* A clock. Only the thread that owns the clock, and this thread's signal handlers, may read it. A
 * handler may interrupt a read. @seq is odd during an update of the stored value. */
struct perf_clock {
	int fd;
	size_t page_size;
	/* mapped page of the event; NULL: each read needs a system call */
	const volatile struct perf_event_mmap_page *page;
	volatile uint32_t seq;
	/* value of the page's member `lock` when .value was read; odd: .value is not valid */
	uint32_t lock;
	/* the last value from the kernel, and CLOCK_MONOTONIC_RAW at that time; in ns */
	uint64_t value, raw;
	/* the last value returned by perf_clock_read(), so that the clock never goes backwards */
	uint64_t last;
};

/* Initialize a clock, which then owns @fd. @mapped: map the page; only possible for events of the
 * calling thread. */
void perf_clock_init(struct perf_clock *clock, int fd, bool mapped);
void perf_clock_release(struct perf_clock *clock);

/* Discard the stored value. Must be called when counting was stopped or started. */
void perf_clock_forget(struct perf_clock *clock);

/* Set *@ret to the time in ns for which the clock's event was enabled while its thread ran. @runs:
 * the event is enabled now. Return 0 or a negative errno. */
int perf_clock_read(struct perf_clock *clock, bool runs, uint64_t *ret);

#endif
