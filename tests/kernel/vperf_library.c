// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vperf_library SOURCE|refused -- tests libvperf in a guest: the same program with vperfctr.ko
 * (SOURCE "module") and with perf_events ("perf"), whose counts must agree. Prints "FAILED: ..."
 * for each error.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libvperf/vperf.h"

#define PAGES	1000
#define SLACK	20

static unsigned int source, failed;
static char *area;
static long page_size;

#define CHECK(what, ...) \
	do { \
		if (!(what)) { \
			failed++; \
			printf("FAILED: line %d: %s: ", __LINE__, #what); \
			printf(__VA_ARGS__); \
			putchar('\n'); \
		} \
	} while (0)
#define OK(v, call) \
	do { \
		int err_ = (call); \
		CHECK(err_ >= 0, "%d, %s", err_, vperf_error(v)); \
	} while (0)
#define ABOUT(n, wanted) \
	CHECK((n) >= (wanted) && (n) <= (wanted) + SLACK, "%llu", (unsigned long long)(n))

static void touch(long nr)
{
	madvise(area, (size_t)(nr * page_size), MADV_DONTNEED);
	for (long i = 0; i < nr; i++)
		*(volatile char *)&area[i * page_size] = 1;
}

static uint64_t ns_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct vperf *open_faults(unsigned int flags)
{
	struct vperf *v = NULL;

	OK(v, vperf_open(&v, source | flags));
	OK(v, vperf_add(v, "page-faults:u"));
	return v;
}

static uint64_t faults_of(struct vperf *v)
{
	uint64_t n = 0;

	OK(v, vperf_read_one(v, 0, &n));
	return n;
}

static void test_counts(void)
{
	struct vperf *v = open_faults(0), *other = NULL;
	struct vperf_counts c, again;
	uint64_t before;

	if (source == VPERF_MODULE) {
		CHECK(vperf_open(&other, VPERF_MODULE) == -EEXIST, "%s", vperf_error(other));
		vperf_close(other);
	}
	OK(v, vperf_add(v, "minor-faults:u"));
	CHECK(vperf_add(v, "no-such-event") == -EINVAL, "%s", vperf_error(v));
	OK(v, vperf_start(v));
	touch(PAGES);
	OK(v, vperf_read(v, &c));
	CHECK(c.nr == 2 && !c.incomplete, "%u slots, %x", c.nr, c.incomplete);
	ABOUT(c.slot[0].count, PAGES);
	CHECK(c.slot[0].count == c.slot[1].count, "%llu", (unsigned long long)c.slot[1].count);
	OK(v, vperf_stop(v));
	before = faults_of(v);
	OK(v, vperf_read(v, &c));
	touch(PAGES);
	CHECK(faults_of(v) == before, "%llu", (unsigned long long)faults_of(v));
	OK(v, vperf_read(v, &again));
	CHECK(again.tsc == c.tsc && c.tsc, "%llu, %llu", (unsigned long long)c.tsc, (unsigned long long)again.tsc);
	OK(v, vperf_start(v));
	touch(100);
	ABOUT(faults_of(v), before + 100);
	OK(v, vperf_read(v, &again));
	CHECK(again.tsc >= c.tsc, "%llu after %llu", (unsigned long long)again.tsc, (unsigned long long)c.tsc);
	OK(v, vperf_reset(v));
	touch(200);
	ABOUT(faults_of(v), 200);
	vperf_close(v);
}

/* Virtual time must advance on each CPU while the thread runs, and stop while the thread sleeps. */
static void test_time(void)
{
	struct vperf *v = open_faults(0);
	uint64_t cpu0, cpu1, first = 0, last = 0, now, by_call = 0;
	unsigned int backwards = 0;
	cpu_set_t set;

	OK(v, vperf_start(v));
	cpu0 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	OK(v, vperf_read_tsc(v, &first));
	last = first;
	for (int i = 0; i < 300000; i++) {
		if (i % 1000 == 0) {
			CPU_ZERO(&set);
			CPU_SET(i / 1000 % 2, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		vperf_read_tsc(v, &now);
		backwards += now < last;
		last = now;
	}
	cpu1 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	OK(v, vperf_read_tsc_by_call(v, &by_call));
	CHECK(!backwards, "%u of 300000 reads went backwards", backwards);
	CHECK(last <= by_call, "%llu, by call %llu", (unsigned long long)last, (unsigned long long)by_call);
	now = (last - first) / (vperf_tsc_khz(v) / 1000) * 1000;	/* convert to ns */
	printf("%llu ns by libvperf, %llu by the kernel's clock\n", (unsigned long long)now, (unsigned long long)(cpu1 - cpu0));
	CHECK(now <= (cpu1 - cpu0) * 11 / 10 + 20000000, "%llu", (unsigned long long)now);
	cpu0 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	OK(v, vperf_read_tsc(v, &first));
	while (ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu0 < 100000000)
		;
	OK(v, vperf_read_tsc(v, &last));
	CHECK((last - first) / vperf_tsc_khz(v) >= 90, "100 ms of work: %llu ticks", (unsigned long long)(last - first));
	usleep(300000);
	OK(v, vperf_read_tsc(v, &now));
	CHECK((now - last) / vperf_tsc_khz(v) < 150, "asleep for 300 ms: %llu ticks", (unsigned long long)(now - last));
	vperf_close(v);
}

static struct {
	struct vperf *v;
	unsigned int signals, wrong, moved;
	bool resumes;
} handled;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	uint64_t before = 0, after = 0;

	(void)signo;
	(void)context;
	handled.signals++;
	handled.wrong += vperf_overflow(handled.v, info) != 1;
	vperf_read_one(handled.v, 0, &before);
	for (long i = 0; i < 10; i++)
		*(volatile char *)&area[(PAGES + i) * page_size] = 1;
	madvise(&area[PAGES * page_size], (size_t)(10 * page_size), MADV_DONTNEED);
	vperf_read_one(handled.v, 0, &after);
	handled.moved += before != after;
	if (handled.resumes)
		handled.wrong += vperf_resume(handled.v) != 0;
}

static void test_overflow(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct vperf *v = open_faults(0);
	int err = vperf_on_overflow(v, 0, 100, SIGRTMIN + 3);

	OK(v, err);
	sigaction(SIGRTMIN + 3, &action, NULL);
	handled.v = v;
	handled.resumes = true;
	CHECK(vperf_resume(v) == -EPERM, "none is pending");
	OK(v, vperf_start(v));
	touch(PAGES);
	OK(v, vperf_stop(v));
	ABOUT(faults_of(v), PAGES);
	CHECK(handled.signals == faults_of(v) / 100, "%u signals", handled.signals);
	CHECK(!handled.wrong && !handled.moved, "%u wrong, %u moved in the handler", handled.wrong, handled.moved);
	handled.resumes = false;
	handled.signals = 0;
	OK(v, vperf_reset(v));
	OK(v, vperf_start(v));
	touch(PAGES);
	CHECK(handled.signals == 1, "%u signals without resume", handled.signals);
	vperf_close(v);
}

static void *touch_in_thread(void *pages)
{
	touch((long)(intptr_t)pages);
	return NULL;
}

/* Create threads, then processes: their counts must not appear in the counts of this thread. */
static void test_children(void)
{
	struct vperf *v = open_faults(VPERF_CHILDREN);
	struct vperf_counts c, again;
	pthread_t thread;
	uint64_t own;

	OK(v, vperf_start(v));
	pthread_create(&thread, NULL, touch_in_thread, (void *)(intptr_t)PAGES);
	pthread_join(thread, NULL);
	usleep(100000);	/* wait, because the thread's last instructions run after pthread_join() */
	OK(v, vperf_read_children(v, &c));
	CHECK(c.slot[0].count >= PAGES && c.slot[0].count < PAGES + 100, "%llu", (unsigned long long)c.slot[0].count);
	CHECK(c.nr_children == (source == VPERF_MODULE), "%llu children", (unsigned long long)c.nr_children);
	own = faults_of(v);
	CHECK(own < PAGES, "%llu own faults", (unsigned long long)own);
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch(PAGES);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	OK(v, vperf_read_children(v, &again));
	CHECK(again.slot[0].count - c.slot[0].count >= 5 * PAGES && again.slot[0].count - c.slot[0].count < 5 * PAGES + 1000,
	      "%llu in five processes", (unsigned long long)(again.slot[0].count - c.slot[0].count));
	vperf_close(v);
}

/* A child's copy of the handle counts nothing; a handle that the child opens itself counts the
 * child. */
static void test_fork(void)
{
	struct vperf *v = open_faults(0);
	int status = -1;
	pid_t pid;

	OK(v, vperf_start(v));
	pid = fork();
	if (!pid) {
		struct vperf *own;
		uint64_t n = 0;

		failed = 0;
		CHECK(vperf_read_tsc(v, &n) == -ECHILD, "a copy of the parent's");
		vperf_close(v);
		own = open_faults(0);
		OK(own, vperf_start(own));
		touch(100);
		ABOUT(faults_of(own), 100);
		vperf_close(own);
		_exit(failed != 0);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x", status);
	OK(v, vperf_reset(v));
	touch(PAGES);
	ABOUT(faults_of(v), PAGES);
	vperf_close(v);
}

/* Hardware events are counted if there is a PMU, otherwise refused with a message. QEMU has
 * instruction counters only if it counts instructions itself. */
static void test_hardware(void)
{
	struct vperf *v = NULL;
	uint64_t before = 0, after = 0, sum = 0;

	OK(v, vperf_open(&v, source));
	if (vperf_add(v, "instructions:u") < 0 && vperf_add(v, "cpu-cycles:u") < 0) {
		printf("no hardware: %s\n", vperf_error(v));
		CHECK(*vperf_error(v), "no reason");
	} else {
		OK(v, vperf_start(v));
		OK(v, vperf_read_one(v, 0, &before));
		for (int i = 0; i < 1000000; i++)
			__asm__ volatile("" : "+r"(sum));
		OK(v, vperf_read_one(v, 0, &after));
		printf("a million turns: %llu\n", (unsigned long long)(after - before));
		CHECK(after - before >= 100000, "%llu", (unsigned long long)(after - before));
	}
	vperf_close(v);
}

/* Print the reason why this library does not use the module. */
static int refused(void)
{
	struct vperf *v = NULL;
	int err = vperf_open(&v, VPERF_MODULE);

	printf("%d: %s\n", err, vperf_error(v));
	vperf_close(v);
	return err ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "refused"))
		return refused();
	source = argc > 1 && !strcmp(argv[1], "module") ? VPERF_MODULE : VPERF_PERF;
	page_size = sysconf(_SC_PAGESIZE);
	area = mmap(NULL, (size_t)((PAGES + 10) * page_size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(area, (size_t)((PAGES + 10) * page_size), MADV_NOHUGEPAGE);
	memset(area, 1, (size_t)((PAGES + 10) * page_size));
	setvbuf(stdout, NULL, _IONBF, 0);
	test_counts();
	test_time();
	test_overflow();
	test_children();
	test_fork();
	test_hardware();
	return failed != 0;
}
