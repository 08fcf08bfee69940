// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf_clock.c -- reading of a thread's virtual time from perf_events, mostly without system
 * calls. */
#include "config.h"
#include "libvperf/perf_clock.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libvperf/read.h"

#define NOTHING_KNOWN	1u
#define TRIES		8

/* maximum age of a value of the kernel to which elapsed time is added; a limit is needed because
 * CLOCK_MONOTONIC_RAW and the scheduler's clock drift apart */
#define MAX_AGE_NS	1000000000u

static uint64_t raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void perf_clock_init(struct perf_clock *clock, int fd, bool mapped)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mapped ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;

	*clock = (struct perf_clock){
		.fd = fd,
		.page_size = size,
		.page = page == MAP_FAILED ? NULL : page,
		.lock = NOTHING_KNOWN,
	};
}

void perf_clock_release(struct perf_clock *clock)
{
	if (clock->page)
		munmap((void *)(uintptr_t)clock->page, clock->page_size);
	if (clock->fd >= 0)
		close(clock->fd);
	*clock = (struct perf_clock){ .fd = -1 };
}

void perf_clock_forget(struct perf_clock *clock)
{
	clock->lock = NOTHING_KNOWN;
	clock->last = 0;
}

static int read_count(const struct perf_clock *clock, uint64_t *ret)
{
	/* layout of read() for a group of one event: number of events, enabled time, running time,
	 * count */
	uint64_t values[4];
	ssize_t n = read(clock->fd, values, sizeof(values));

	if (n < 0)
		return -errno;
	if (n != sizeof(values))
		return -EIO;
	*ret = values[1];
	return 0;
}

/* If the thread has not been scheduled out since it last read the kernel's value, set *@ret to
 * that value plus the elapsed time, and return true. */
static bool extrapolate(const struct perf_clock *clock, uint32_t seq, uint64_t *ret)
{
	const uint32_t lock = clock->lock;
	const uint64_t value = clock->value, raw = clock->raw;
	uint64_t age;

	if (seq & 1)
		return false;
	VPERF_BARRIER();
	age = raw_ns() - raw;
	VPERF_BARRIER();
	if (clock->page->lock != lock || clock->seq != seq || age > MAX_AGE_NS)
		return false;
	*ret = value + age;
	return true;
}

static int read_and_cache(struct perf_clock *clock, uint32_t seq, uint64_t *ret)
{
	uint32_t lock = NOTHING_KNOWN;
	int err = 0;

	clock->seq = seq + 1;
	VPERF_BARRIER();
	for (int i = 0; i < TRIES && !err; i++) {
		uint64_t before;

		lock = clock->page->lock;
		before = raw_ns();
		err = read_count(clock, &clock->value);
		clock->raw = before + (raw_ns() - before) / 2;
		if (lock == clock->page->lock)
			break;
		lock = NOTHING_KNOWN;
	}
	clock->lock = err ? NOTHING_KNOWN : lock;
	*ret = clock->value;
	VPERF_BARRIER();
	clock->seq = seq + 2;
	return err;
}

int perf_clock_read(struct perf_clock *clock, bool runs, uint64_t *ret)
{
	const uint32_t seq = clock->seq;
	uint64_t value = 0;
	int err = 0;

	if (!clock->page || !runs)
		return read_count(clock, ret);
	if (vperf_perf_time(clock->page, ret))
		return 0;
	VPERF_BARRIER();
	if (!extrapolate(clock, seq, &value))
		/* A signal handler that interrupted read_and_cache() must not change the stored
		 * value, so it only reads. */
		err = seq & 1 ? read_count(clock, &value) : read_and_cache(clock, seq, &value);
	if (err)
		return err;
	if (value < clock->last)
		value = clock->last;
	clock->last = value;
	*ret = value;
	return 0;
}
