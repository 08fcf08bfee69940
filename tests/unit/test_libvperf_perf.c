// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_perf.c -- tests a thread that counts its own events by perf_events: page faults,
 * time, overflows, and events of the thread's children.
 *
 * The tests cause page faults by touching new pages. They map and unmap the same pages before they
 * count, so that the page tables exist. ASan causes a few more faults. Skipped if perf_events
 * cannot be used.
 */
#include "config.h"
#include "tests/unit/check.h"
#include "tests/unit/clocks.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "libvperf/vperf.h"

#define PAGES	2000
#define SLACK	20	/* number of page faults that other causes may add */

static char *area;
static long page_size;

/* Cause @nr page faults by touching @nr pages for the first time. */
static void touch_pages(long nr)
{
	assert_return_code(madvise(area, (size_t)(nr * page_size), MADV_DONTNEED), errno);
	for (long i = 0; i < nr; i++)
		*(volatile char *)&area[i * page_size] = 1;
}

static void burn(uint64_t ns)
{
	for (uint64_t end = ns_of(CLOCK_THREAD_CPUTIME_ID) + ns; ns_of(CLOCK_THREAD_CPUTIME_ID) < end; )
		;
}

static struct vperf *open_faults(unsigned int flags)
{
	struct vperf *v = NULL;

	assert_int_equal(vperf_open(&v, VPERF_PERF | flags), 0);
	assert_int_equal(vperf_add(v, "page-faults:u"), 0);
	return v;
}

static uint64_t faults_of(struct vperf *v)
{
	uint64_t n = 0;

	assert_int_equal(vperf_read_one(v, 0, &n), 0);
	return n;
}

static void assert_about(uint64_t count, uint64_t wanted)
{
	assert_in_range(count, wanted, wanted + SLACK);
}

static void test_page_faults_are_counted(void **state)
{
	struct vperf *v = open_faults(0);
	struct vperf_counts c;
	uint64_t before;

	(void)state;
	assert_int_equal(vperf_read(v, &c), 0);
	assert_int_equal(c.slot[0].count, 0);
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(vperf_read(v, &c), 0);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.incomplete, 0);
	assert_about(c.slot[0].count, PAGES);
	assert_int_equal(c.slot[0].enabled, c.slot[0].running);
	assert_true(c.tsc > 0);
	/* Counts do not change after vperf_stop(), and continue after the next vperf_start(). */
	assert_int_equal(vperf_stop(v), 0);
	before = faults_of(v);
	touch_pages(PAGES);
	assert_int_equal(faults_of(v), before);
	assert_int_equal(vperf_start(v), 0);
	touch_pages(100);
	assert_about(faults_of(v), before + 100);
	assert_int_equal(vperf_reset(v), 0);
	touch_pages(200);
	assert_about(faults_of(v), 200);
	assert_int_equal(vperf_read_one(v, 1, &before), -EINVAL);
	vperf_close(v);
}

static void test_several_events_are_counted(void **state)
{
	struct vperf *v = open_faults(0);
	struct vperf_counts c;

	(void)state;
	assert_int_equal(vperf_add(v, "minor-faults:u"), 1);
	assert_int_equal(vperf_add(v, "task-clock"), 2);
	assert_int_equal(vperf_add_pmc(v, &(struct vperfctr_pmc){ .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .flags = VPERFCTR_USER | VPERFCTR_SHARE }), 3);
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(vperf_read(v, &c), 0);
	assert_int_equal(c.nr, 4);
	assert_about(c.slot[0].count, PAGES);
	assert_int_equal(c.slot[0].count, c.slot[1].count);
	assert_about(c.slot[3].count, PAGES);
	assert_true(c.slot[2].count > 0 && c.slot[2].count <= c.tsc);
	assert_int_equal(vperf_add(v, "page-faults"), -EBUSY);
	assert_int_equal(vperf_stop(v), 0);
	while (vperf_add(v, "page-faults:u") >= 0)
		;
	assert_int_equal(vperf_add(v, "page-faults:u"), -ENOSPC);
	assert_int_equal(vperf_read(v, &c), 0);
	assert_int_equal(c.nr, VPERF_MAX);
	vperf_close(v);
}

static void test_invalid_calls_are_refused(void **state)
{
	struct vperf *v = NULL;

	(void)state;
	assert_int_equal(vperf_open(&v, VPERF_PERF | VPERF_MODULE), -EINVAL);
	assert_non_null(strstr(vperf_error(v), "exclude each other"));
	assert_int_equal(vperf_start(v), -EBADF);
	vperf_close(v);
	assert_int_equal(vperf_open(&v, 1u << 30), -EINVAL);
	vperf_close(v);
	assert_int_equal(vperf_attach(&v, 0x7ffffff0, VPERF_PERF), -ESRCH);
	assert_non_null(strstr(vperf_error(v), "does not exist"));
	vperf_close(v);
	vperf_close(NULL);

	v = open_faults(0);
	assert_int_equal(vperf_add(v, "no-such-event"), -EINVAL);
	assert_non_null(strstr(vperf_error(v), "no-such-event"));
	assert_int_equal(vperf_add(v, "page-faults:x"), -EINVAL);
	assert_int_equal(vperf_add(v, "page-faults:"), -EINVAL);
	assert_int_equal(vperf_add(v, "r"), -EINVAL);
	assert_int_equal(vperf_add(v, "r10000000000000000"), -EINVAL);
	assert_int_equal(vperf_add_pmc(v, &(struct vperfctr_pmc){ .type = 1, .config = 2 }), -EINVAL);
	assert_int_equal(vperf_on_overflow(v, 1, 100, SIGRTMIN), -EINVAL);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGKILL), -EINVAL);
	/* Settings that were refused do not change the counter. */
	assert_int_equal(vperf_start(v), 0);
	touch_pages(100);
	assert_about(faults_of(v), 100);
	vperf_close(v);
}

/* A hardware event is counted if the machine has a PMU; otherwise vperf_add() reports the cause. */
static void test_hardware_event_is_counted_or_reported(void **state)
{
	struct vperf *v = NULL;
	uint64_t n;
	int slot;

	(void)state;
	assert_int_equal(vperf_open(&v, VPERF_PERF), 0);
	slot = vperf_add(v, "instructions:u");
	if (slot < 0) {
		assert_non_null(strstr(vperf_error(v), "no counter for this event"));
	} else {
		assert_int_equal(vperf_start(v), 0);
		touch_pages(10);
		assert_int_equal(vperf_read_one(v, 0, &n), 0);
		assert_true(n > 0);
	}
	vperf_close(v);
}

/* Two readings of the thread's CPU clock enclose the counter's value, which never decreases. */
static void test_time_equals_cpu_clock(void **state)
{
	struct vperf *v = open_faults(0);
	uint64_t last = 0, now = 0, cpu0, cpu1, begin, tries = 20, stolen;

	(void)state;
	assert_int_equal(vperf_tsc_khz(v), 1000000);
	stolen = stolen_ns();
	cpu0 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	assert_int_equal(vperf_start(v), 0);
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			sched_yield();
		assert_int_equal(vperf_read_tsc(v, &now), 0);
		if (now < last)
			fail_msg("%llu ns after %llu", (unsigned long long)now, (unsigned long long)last);
		last = now;
	}
	cpu1 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	/* allow a difference of 2 % of the CPU time, and of 10 ms for interrupts between the two
	 * readings */
	assert_true(now <= (cpu1 - cpu0) + (cpu1 - cpu0) / 50 + 10000000 + (stolen_ns() - stolen));
	/* repeat the comparison, because a hypervisor that takes the CPU away stops only one of the
	 * two clocks */
	do {
		cpu0 = ns_of(CLOCK_THREAD_CPUTIME_ID);
		vperf_read_tsc(v, &begin);
		burn(50000000);
		vperf_read_tsc(v, &now);
		cpu1 = ns_of(CLOCK_THREAD_CPUTIME_ID);
	} while ((now - begin < 45000000 || now - begin > cpu1 - cpu0 + 10000000) && --tries > 0);
	assert_in_range(now - begin, 45000000, cpu1 - cpu0 + 10000000);
	/* The counter's time does not advance while the thread sleeps. */
	vperf_read_tsc(v, &begin);
	usleep(100000);
	vperf_read_tsc(v, &now);
	assert_true(now - begin < 50000000);
	assert_int_equal(vperf_stop(v), 0);
	vperf_read_tsc(v, &begin);
	burn(1000000);
	vperf_read_tsc(v, &now);
	assert_int_equal(now, begin);
	assert_int_equal(vperf_reset(v), 0);
	vperf_read_tsc(v, &now);
	assert_int_equal(now, 0);
	assert_int_equal(vperf_start(v), 0);
	vperf_read_tsc(v, &now);
	assert_true(now < begin);
	vperf_close(v);
}

/* Data shared with the signal handler of overflows, which runs in this thread. */
static struct {
	struct vperf *v;
	unsigned int signals, of_slot[2], wrong, moved;
	bool resumes;
	uint64_t seen;
} handled;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	uint32_t mask = vperf_overflow(handled.v, info);
	uint64_t before = 0, after = 0;

	(void)signo;
	(void)context;
	handled.signals++;
	handled.wrong += mask != 1 && mask != 2;
	handled.of_slot[0] += mask & 1;
	handled.of_slot[1] += mask >> 1 & 1;
	vperf_read_one(handled.v, 0, &before);
	for (long i = 0; i < 10; i++)
		*(volatile char *)&area[(PAGES + i) * page_size] = 1;
	madvise(&area[PAGES * page_size], (size_t)(10 * page_size), MADV_DONTNEED);
	vperf_read_one(handled.v, 0, &after);
	handled.moved += before != after;
	handled.seen = after;
	if (handled.resumes && vperf_resume(handled.v))
		handled.wrong++;
}

static void handle(struct vperf *v, int signo, bool resumes)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	memset(&handled, 0, sizeof(handled));
	handled.v = v;
	handled.resumes = resumes;
	sigemptyset(&action.sa_mask);
	assert_return_code(sigaction(signo, &action, NULL), errno);
}

static void test_overflow_sends_signal(void **state)
{
	struct vperf *v = open_faults(0);

	(void)state;
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGRTMIN + 3), 0);
	handle(v, SIGRTMIN + 3, true);
	assert_int_equal(vperf_resume(v), -EPERM);
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(vperf_stop(v), 0);
	assert_int_equal(handled.wrong, 0);
	assert_int_equal(handled.moved, 0);
	assert_int_equal(handled.signals, faults_of(v) / 100);
	assert_about(faults_of(v), PAGES);
	/* If the handler does not resume the counter, the first overflow stops the count. */
	handle(v, SIGRTMIN + 3, false);
	assert_int_equal(vperf_reset(v), 0);
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(handled.signals, 1);
	assert_int_equal(faults_of(v), handled.seen);
	handled.resumes = true;
	assert_int_equal(vperf_resume(v), 0);
	touch_pages(PAGES);
	assert_true(handled.signals >= PAGES / 100);
	assert_int_equal(vperf_stop(v), 0);
	/* A period of 0 turns off the signals, but not the count. */
	assert_int_equal(vperf_on_overflow(v, 0, 0, 0), 0);
	handled.signals = 0;
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(handled.signals, 0);
	assert_about(faults_of(v), PAGES);
	vperf_close(v);
}

static void test_two_overflows_need_realtime_signals(void **state)
{
	struct vperf *v = open_faults(0);
	struct vperf_counts c;

	(void)state;
	assert_int_equal(vperf_add(v, "minor-faults:u"), 1);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGUSR1), 0);
	/* a signal below SIGRTMIN is refused, because the kernel merges two such pending signals */
	assert_int_equal(vperf_on_overflow(v, 1, 30, SIGUSR1), -EINVAL);
	assert_int_equal(vperf_on_overflow(v, 0, 0, 0), 0);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGRTMIN + 2), 0);
	assert_int_equal(vperf_on_overflow(v, 1, 30, SIGRTMIN + 3), -EINVAL);
	assert_int_equal(vperf_on_overflow(v, 1, 30, SIGRTMIN + 2), 0);
	handle(v, SIGRTMIN + 2, true);
	assert_int_equal(vperf_start(v), 0);
	for (int i = 0; i < 4; i++)
		touch_pages(PAGES);
	assert_int_equal(vperf_stop(v), 0);
	assert_int_equal(vperf_read(v, &c), 0);
	assert_int_equal(handled.wrong, 0);
	assert_int_equal(handled.of_slot[0], c.slot[0].count / 100);
	assert_int_equal(handled.of_slot[1], c.slot[1].count / 30);
	vperf_close(v);
}

static void *touch_in_thread(void *pages)
{
	touch_pages((long)(intptr_t)pages);
	return NULL;
}

static void in_thread(long pages)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, touch_in_thread, (void *)(intptr_t)pages), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_threads_are_counted_as_children(void **state)
{
	struct vperf *v = open_faults(VPERF_CHILDREN);
	struct vperf_counts c, again;
	pid_t pid;

	(void)state;
	in_thread(1);	/* cause the page faults of the first pthread_create() before counting */
	assert_int_equal(vperf_start(v), 0);
	touch_pages(PAGES);
	assert_int_equal(vperf_read_children(v, &c), 0);
	assert_int_equal(c.slot[0].count, 0);
	in_thread(PAGES);
	assert_int_equal(vperf_read_children(v, &c), 0);
	assert_int_equal(c.nr, 1);
	assert_in_range(c.slot[0].count, PAGES, PAGES + 100);
	assert_true(c.tsc > 0);
	pid = check_fork();
	if (!pid) {
		touch_pages(PAGES);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(vperf_read_children(v, &again), 0);
	assert_true(again.slot[0].count >= c.slot[0].count + PAGES);
	/*
	 * After vperf_stop() the counts of children do not change, and threads that are created
	 * while the counter is stopped are not counted.
	 */
	assert_int_equal(vperf_stop(v), 0);
	assert_int_equal(vperf_read_children(v, &c), 0);
	in_thread(PAGES);
	touch_pages(100);
	assert_int_equal(vperf_read_children(v, &again), 0);
	assert_int_equal(again.slot[0].count, c.slot[0].count);
	assert_int_equal(vperf_start(v), 0);
	assert_int_equal(vperf_read_children(v, &again), 0);
	assert_int_equal(again.slot[0].count, c.slot[0].count);
	in_thread(300);
	assert_int_equal(vperf_read_children(v, &again), 0);
	assert_in_range(again.slot[0].count, c.slot[0].count + 300, c.slot[0].count + 400);
	assert_int_equal(vperf_reset(v), 0);
	assert_int_equal(vperf_read_children(v, &again), 0);
	assert_int_equal(again.slot[0].count, 0);
	vperf_close(v);
	v = open_faults(0);
	assert_int_equal(vperf_read_children(v, &c), -EINVAL);
	vperf_close(v);
}

static void test_child_process_cannot_use_counters(void **state)
{
	struct vperf *v = open_faults(0);
	int fd = vperf_fd(v), status;
	pid_t pid;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(vperf_start(v), 0);
	pid = check_fork();
	if (!pid) {
		struct vperf_counts c;
		uint64_t n;
		bool right = vperf_read(v, &c) == -ECHILD && vperf_read_tsc(v, &n) == -ECHILD &&
			     vperf_read_one(v, 0, &n) == -ECHILD && vperf_start(v) == -ECHILD &&
			     vperf_stop(v) == -ECHILD && vperf_fd(v) < 0;

		vperf_close(v);
		right = right && fcntl(fd, F_GETFD) < 0;
		/* A counter that the child opens counts the child's page faults. */
		right = right && !vperf_open(&v, VPERF_PERF) && !vperf_add(v, "page-faults:u") && !vperf_start(v);
		touch_pages(100);
		right = right && !vperf_read_one(v, 0, &n) && n >= 100 && n < 500;
		vperf_close(v);
		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	touch_pages(PAGES);
	assert_true(faults_of(v) >= PAGES);
	vperf_close(v);
}

/* An attached counter counts another process from its exec on. */
static void test_attached_counter_counts_other_process(void **state)
{
	struct vperf *v = NULL;
	struct vperf_counts c;
	int hold[2];
	pid_t pid;
	char go;

	(void)state;
	assert_return_code(pipe2(hold, O_CLOEXEC), errno);
	pid = check_fork();
	if (!pid) {
		close(hold[1]);
		if (read(hold[0], &go, 1) == 1)
			execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
		_exit(1);
	}
	close(hold[0]);
	assert_int_equal(vperf_attach(&v, pid, VPERF_PERF | VPERF_ON_EXEC | VPERF_CHILDREN), 0);
	assert_int_equal(vperf_add(v, "page-faults:u"), 0);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGUSR1), -EOPNOTSUPP);
	assert_int_equal(vperf_start(v), 0);
	assert_int_equal(faults_of(v), 0);
	assert_int_equal(write(hold[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(hold[1]);
	assert_true(faults_of(v) > 10);
	assert_int_equal(vperf_read(v, &c), 0);
	assert_true(c.tsc > 0);
	assert_int_equal(vperf_read_children(v, &c), 0);
	assert_int_equal(c.slot[0].count, 0);
	vperf_close(v);
}

static int setup(void **state)
{
	const size_t size = (size_t)((PAGES + 10) * sysconf(_SC_PAGESIZE));

	(void)state;
	page_size = sysconf(_SC_PAGESIZE);
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || madvise(area, size, MADV_NOHUGEPAGE))
		return -1;
	memset(area, 1, size);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_faults_are_counted),
		cmocka_unit_test(test_several_events_are_counted),
		cmocka_unit_test(test_invalid_calls_are_refused),
		cmocka_unit_test(test_hardware_event_is_counted_or_reported),
		cmocka_unit_test(test_time_equals_cpu_clock),
		cmocka_unit_test(test_overflow_sends_signal),
		cmocka_unit_test(test_two_overflows_need_realtime_signals),
		cmocka_unit_test(test_threads_are_counted_as_children),
		cmocka_unit_test(test_child_process_cannot_use_counters),
		cmocka_unit_test(test_attached_counter_counts_other_process),
	};
	struct vperf *v = NULL;
	int err = vperf_open(&v, VPERF_PERF);

	if (!err && vperf_add(v, "page-faults:u") < 0)
		err = -1;
	if (err)
		printf("perf_events cannot be used: %s\n", vperf_error(v));
	vperf_close(v);
	return err ? 77 : cmocka_run_group_tests(tests, setup, NULL);
}
