// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_faults.c -- failure injection in libvperf with perf_events: each allocation,
 * mapping and read fails once, and each descriptor is refused once. libvperf then reports the cause
 * or still counts correctly, and leaks nothing.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libvperf/sampler.h"
#include "tests/fault/fault.h"

#define PAGES	50

static char *area;

static void touch_pages(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);

	madvise(area, PAGES * size, MADV_DONTNEED);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)&area[i * size] = 1;
}

static int count(char *why, size_t size)
{
	struct vperf_counts c, children;
	struct vperf *v = NULL;
	uint64_t time;
	int err = vperf_open(&v, VPERF_PERF | VPERF_CHILDREN);

	if (!err)
		err = vperf_add(v, "page-faults:u");
	if (err >= 0)
		err = vperf_add(v, "task-clock:u");
	if (err >= 0)
		err = vperf_start(v);
	if (!err) {
		touch_pages();
		err = vperf_read(v, &c);
	}
	if (!err)
		err = vperf_read_tsc(v, &time);
	if (!err)
		err = vperf_read_children(v, &children);
	if (!err)
		err = vperf_stop(v);
	if (!err) {
		assert_true(c.slot[0].count >= PAGES && c.slot[0].count < PAGES + 100);
		assert_true(c.tsc && time >= c.tsc);
		assert_true(children.slot[0].count < 100);
	}
	/*
	 * Signal handlers call the functions that read counters, so these functions set no message:
	 * use the text of errno.
	 */
	snprintf(why, size, "%s", *vperf_error(v) || !err ? vperf_error(v) : strerror(-err));
	vperf_close(v);
	return err < 0 ? err : 0;
}

static int sample(char *why, size_t size)
{
	static const char *const events[] = { "page-faults:u", "minor-faults:u" };
	static const uint64_t periods[] = { 1000000, 1000000 };
	struct vperf_sampler *s = NULL;
	struct vperf_counts c;
	int err = vperf_sampler_start(&s, events, periods, 2, SIGRTMIN + 4, VPERF_PERF, why, size);

	if (err) {
		assert_null(s);
		return err;
	}
	touch_pages();
	err = vperf_sampler_read(s, &c);
	if (!err)
		assert_true(c.slot[0].count >= PAGES);
	else
		snprintf(why, size, "%s", strerror(-err));
	vperf_sampler_stop(s);
	return err;
}

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static unsigned int mappings_of_perf(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int n = 0;
	char line[600];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		n += strstr(line, "perf_event") != NULL;
	fclose(maps);
	return n;
}

static void check_failed(int err, const char *why, long n)
{
	if (err != -ENOMEM && err != -EIO && err != -EMFILE)
		fail_msg("call %ld: %d, %s", n, err, why);
	assert_true(*why);
}

static void fail_each(int (*run)(char *why, size_t size))
{
	const unsigned int before = count_descriptors();
	long n, failed = 0;
	char why[600];
	int err;

	for (n = 1;; n++) {
		*why = '\0';
		fault_arm(n, EIO);
		err = run(why, sizeof(why));
		if (!fault_disarm())
			break;
		if (err)
			check_failed(err, why, n);
		failed += err != 0;
		assert_int_equal(count_descriptors(), before);
		assert_int_equal(mappings_of_perf(), 0);
	}
	assert_int_equal(err, 0);
	assert_true(failed > 2);
	print_message("%ld calls, %ld times it could not count\n", n - 1, failed);
}

/* Run @run with a limit of open files, and raise the limit by one until @run succeeds. */
static void deny_each(int (*run)(char *why, size_t size))
{
	const unsigned int before = count_descriptors();
	struct rlimit whole, few;
	int free_fd = dup(0), err = -1;
	char why[600];

	assert_true(free_fd >= 0);
	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &whole), 0);
	few = whole;
	for (unsigned int n = 0; n < 20 && err; n++) {
		few.rlim_cur = (rlim_t)free_fd + n;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		*why = '\0';
		err = run(why, sizeof(why));
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &whole), 0);
		if (err)
			check_failed(err, why, n);
		assert_true(err || n > 1);
		assert_int_equal(count_descriptors(), before);
		assert_int_equal(mappings_of_perf(), 0);
	}
	assert_int_equal(err, 0);
}

static void test_failing_calls_while_counting(void **state)
{
	(void)state;
	fail_each(count);
	deny_each(count);
}

static void test_failing_calls_while_sampling(void **state)
{
	(void)state;
	fail_each(sample);
	deny_each(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_calls_while_counting),
		cmocka_unit_test(test_failing_calls_while_sampling),
	};
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char why[600];

	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || madvise(area, size, MADV_NOHUGEPAGE))
		return 1;
	if (count(why, sizeof(why))) {
		printf("perf_events cannot be used: %s\n", why);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
