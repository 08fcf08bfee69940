// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vperf_neighbours SECONDS -- four threads that count themselves by vperfctr.ko, while other
 * counters and samplers run: each thread knows its number of page faults, and compares its virtual
 * time with its CPU clock. Prints errors as "FAILED: ...".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libvperf/vperf.h"

#define THREADS	4
#define PAGES	500

static atomic_uint wrong, rounds;
static uint64_t end;

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *fail(const char *what, struct vperf *v)
{
	printf("FAILED: %s: %s\n", what, vperf_error(v));
	wrong++;
	vperf_close(v);
	return NULL;
}

static void touch(volatile char *area, long size, unsigned int pages)
{
	madvise((char *)area, (size_t)size * PAGES, MADV_DONTNEED);
	for (unsigned int i = 0; i < pages; i++)
		area[i * size] = 1;
}

/*
 * Add an event of the CPU's own counters to @v. If the CPU can count the event, its count must
 * rise; otherwise the call must report that it cannot be counted.
 */
static int add_hardware(struct vperf *v, unsigned int n)
{
	int slot = vperf_add(v, "cpu-cycles:u");

	if (slot < 0 && !n)
		printf("no hardware slot: %s\n", vperf_error(v));
	return slot;
}

static void *count(void *arg)
{
	const unsigned int n = (unsigned int)(uintptr_t)arg, pages = PAGES - 7 * n;
	const long size = sysconf(_SC_PAGESIZE);
	struct vperf_counts before, after;
	struct vperf *v = NULL;
	uint64_t cpu0, cpu1;
	char *area = mmap(NULL, (size_t)size * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int hardware;

	madvise(area, (size_t)size * PAGES, MADV_NOHUGEPAGE);
	touch(area, size, PAGES);
	if (vperf_open(&v, VPERF_MODULE) || vperf_add(v, "page-faults:u") != 0)
		return fail("slots", v);
	hardware = add_hardware(v, n);
	cpu0 = now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (vperf_start(v) || vperf_read(v, &before))
		return fail("start", v);
	/* touch all pages once, because the library's first calls cause page faults, too */
	touch(area, size, pages);
	while (now_ns(CLOCK_MONOTONIC) < end) {
		if (vperf_read(v, &before))
			return fail("read", v);
		touch(area, size, pages);
		if (vperf_read(v, &after))
			return fail("read", v);
		if (after.slot[0].count - before.slot[0].count != pages && wrong++ < 5)
			printf("FAILED: %u pages: %llu faults\n", pages, (unsigned long long)(after.slot[0].count - before.slot[0].count));
		if (after.tsc <= before.tsc && wrong++ < 5)
			printf("FAILED: time stands still\n");
		if (hardware > 0 && !(after.incomplete & 1u << hardware) &&
		    after.slot[hardware].count - before.slot[hardware].count < pages && wrong++ < 5)
			printf("FAILED: %llu cycles for %u pages\n",
			       (unsigned long long)(after.slot[hardware].count - before.slot[hardware].count), pages);
		rounds++;
	}
	cpu1 = now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* convert to ms; the two clocks of an emulated CPU differ */
	cpu1 = (cpu1 - cpu0) / 1000000;
	after.tsc /= vperf_tsc_khz(v);
	if (after.tsc > cpu1 * 11 / 10 + 100 && wrong++ < 5)
		printf("FAILED: %llu ms of virtual time in %llu of the thread's\n", (unsigned long long)after.tsc, (unsigned long long)cpu1);
	vperf_close(v);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	setvbuf(stdout, NULL, _IOLBF, 0);
	end = now_ns(CLOCK_MONOTONIC) + (argc > 1 ? strtoull(argv[1], NULL, 10) : 3) * 1000000000u;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count, (void *)i))
			return 1;
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u rounds, %u wrong\n", rounds, wrong);
	return wrong || !rounds;
}
