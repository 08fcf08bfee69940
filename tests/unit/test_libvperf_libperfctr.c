// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_libperfctr.c -- tests the functions of perfctr's library: the settings that reach
 * the kernel, and the results. The kernel is simulated: a file takes the place of the kernel's
 * object, and the first page of the file is the object's page.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libvperf/libperfctr.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libvperf/cpu_list.h"
#include "tests/fault/fault.h"

#define vperfctr_control kernel_control
#include "libvperf/vperfctr.h"
#undef vperfctr_control

static struct machine {
	struct kernel_control control;
	struct vperfctr_sum_ctrs sum, children;
	struct vperfctr_state *page;
	int fd, resumed, unlinked, tid;
	bool exists;
	uint32_t version;
} m;

static void set_up(void)
{
	m = (struct machine){ .version = VPERFCTR_ABI_VERSION };
	m.fd = memfd_create("object", MFD_CLOEXEC);
	assert_int_equal(ftruncate(m.fd, sysconf(_SC_PAGESIZE)), 0);
	m.page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	assert_ptr_not_equal(m.page, MAP_FAILED);
}

static void tear_down(void)
{
	munmap(m.page, (size_t)sysconf(_SC_PAGESIZE));
	close(m.fd);
}

int sys_vperfctr_open(int tid, int creat)
{
	m.tid = tid;
	errno = m.exists ? EEXIST : ENOENT;
	if (m.exists == !!creat)
		return -1;
	m.exists = true;
	return dup(m.fd);
}

int sys_vperfctr_control(int fd, const struct kernel_control *control)
{
	(void)fd;
	m.control = *control;
	m.page->cpu_state.cstatus = (control->tsc_on ? VPERFCTR_CSTATUS_TSC_ON : 0) | (uint64_t)control->nrctrs << 8;
	return 0;
}

int sys_vperfctr_unlink(int fd)
{
	(void)fd;
	m.unlinked++;
	return 0;
}

int sys_vperfctr_iresume(int fd)
{
	(void)fd;
	m.resumed++;
	return 0;
}

int sys_vperfctr_read(int fd, struct vperfctr_sum_ctrs *sum, struct kernel_control *control,
		      struct vperfctr_sum_ctrs *children)
{
	(void)fd;
	if (sum)
		*sum = m.sum;
	if (control)
		*control = m.control;
	if (children)
		*children = m.children;
	return 0;
}

int sys_vperfctr_info(struct vperfctr_info *info)
{
	*info = (struct vperfctr_info){
		.abi_version = m.version, .driver_version = "1.2", .features = VPERFCTR_FEATURE_RDTSC, .cpu_khz = 2000000,
		.cpu_type = VPERFCTR_CPU_X86_OTHER,
	};
	return 0;
}

int sys_vperfctr_cpus(struct vperfctr_cpus *cpus)
{
	*cpus = (struct vperfctr_cpus){ .nr_cpus = 70, .usable = { 0x0d, 1 }, .forbidden = { 0x02, 0x3e } };
	return 0;
}

/*
 * Return settings for four counters: a general counter, an Intel fixed counter, a counter with a
 * second selection register, and a counter that reports overflows.
 */
static struct vperfctr_control all_kinds(void)
{
	return (struct vperfctr_control){
		.si_signo = SIGIO, .preserve = 5, .flags = VPERFCTR_CONTROL_CLOEXEC,
		.cpu_control = {
			.tsc_on = 1, .nractrs = 3, .nrictrs = 1, .pmc_map = { 0, 0x40000001, 2, 3 },
			.evntsel = { 0x4100c0, 0x430000, 0x4100cb, 0x5304c4 }, .evntsel_high = { 0, 0, 1, 0 },
			.ireset = { 0, 0, 0, -25000 },
		},
	};
}

static void test_control_is_passed_to_driver(void **state)
{
	struct vperfctr_control c = all_kinds(), back;
	int fd;

	(void)state;
	set_up();
	fd = _vperfctr_open(1);
	assert_true(fd >= 0);
	assert_int_equal(_vperfctr_control(fd, &c), 0);
	assert_int_equal(m.control.flags, VPERFCTR_CLOEXEC);
	assert_int_equal(m.control.si_signo, SIGIO);
	assert_int_equal(m.control.preserve, 5);
	assert_int_equal(m.control.nrctrs, 4);
	assert_int_equal(m.control.pmc[0].type, PERF_TYPE_RAW);
	assert_int_equal(m.control.pmc[0].config, 0xc0);
	assert_int_equal(m.control.pmc[0].flags, VPERFCTR_USER);
	assert_int_equal(m.control.pmc[1].type, PERF_TYPE_HARDWARE);
	assert_int_equal(m.control.pmc[1].config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(m.control.pmc[1].flags, VPERFCTR_USER | VPERFCTR_KERNEL);
	assert_int_equal(m.control.pmc[2].config, 0x1000000cbull);
	assert_int_equal(m.control.pmc[2].ireset, 0);
	assert_int_equal(m.control.pmc[3].config, 0x04c4);
	assert_int_equal(m.control.pmc[3].ireset, 25000);

	assert_int_equal(_vperfctr_read_control(fd, &back), 0);
	assert_memory_equal(&back, &c, sizeof(c));

	/* a period below the kernel's minimum is raised to the minimum */
	c.cpu_control.ireset[3] = -25;
	assert_int_equal(_vperfctr_control(fd, &c), 0);
	assert_int_equal(m.control.pmc[3].ireset, VPERFCTR_MIN_IRESET);
	close(fd);
	tear_down();
}

#define REFUSED(change, error) do {						\
	struct vperfctr_control c = all_kinds();				\
	change;									\
	assert_int_equal(_vperfctr_control(m.fd, &c), -1);			\
	assert_int_equal(errno, error);						\
} while (0)

static void test_invalid_control_is_refused(void **state)
{
	(void)state;
	set_up();
	REFUSED(c.flags = 2, EINVAL);
	REFUSED(c.cpu_control.nractrs = 17, EINVAL);
	REFUSED(c.cpu_control.nrictrs = 14, EINVAL);
	REFUSED(c.cpu_control.nrictrs = ~0u - 1, EINVAL);
	REFUSED(c.cpu_control.pmc_map[1] = 0x40000003, EINVAL);
	REFUSED(c.cpu_control.ireset[3] = 0, EINVAL);
	REFUSED(c.cpu_control.ireset[3] = 5, EINVAL);
	REFUSED(c.cpu_control.p4.pebs_enable = 1, EOPNOTSUPP);
	assert_int_equal(m.control.nrctrs, 0);
	tear_down();
}

static void test_own_counters_are_read(void **state)
{
	struct vperfctr_control c = { .cpu_control = { .tsc_on = 1, .nractrs = 1, .evntsel = { 0x4100c0 } } }, back;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	(void)state;
	set_up();
	/* Simulate that the parent has created the thread's object before the fork. */
	m.exists = true;
	self = vperfctr_open();
	assert_non_null(self);
	assert_false(vperfctr_is_running(self));
	assert_int_equal(vperfctr_read_tsc(self), 0);
	assert_int_equal(vperfctr_control(self, &c), 0);
	assert_true(vperfctr_is_running(self));
	/*
	 * The TSC sum is read from the mapped page; the value of a counter is read by a system
	 * call.
	 */
	m.page->cpu_state.tsc_sum = 1000;
	m.sum.tsc = 1001;
	m.sum.pmc[0].count = 77;
	assert_int_equal(vperfctr_read_tsc(self), 1000);
	assert_int_equal(vperfctr_read_pmc(self, 0), 77);
	assert_int_equal(vperfctr_read_pmc(self, 16), 0);
	assert_int_equal(vperfctr_read_ctrs(self, &sum), 0);
	assert_int_equal(sum.tsc, 1001);
	assert_int_equal(sum.pmc[0], 77);
	assert_int_equal(vperfctr_iresume(self), 0);
	assert_int_equal(m.resumed, 1);
	/*
	 * After a stop the counts remain readable, although the kernel's sum of TSC ticks restarts
	 * at 0.
	 */
	assert_int_equal(vperfctr_stop(self), 0);
	assert_int_equal(m.control.preserve, 0xffff);
	assert_false(vperfctr_is_running(self));
	m.page->cpu_state.tsc_sum = m.sum.tsc = 0;
	assert_int_equal(vperfctr_read_tsc(self), 1000);
	assert_int_equal(vperfctr_read_state(self, &sum, &back), 0);
	assert_int_equal(sum.tsc, 1000);
	assert_int_equal(sum.pmc[0], 77);
	assert_int_equal(back.cpu_control.nractrs, 0);
	/* With counters but without the TSC, the TSC sum reads as 0. */
	c.cpu_control.tsc_on = 0;
	assert_int_equal(vperfctr_control(self, &c), 0);
	assert_int_equal(vperfctr_read_tsc(self), 0);
	assert_int_equal(vperfctr_read_ctrs(self, &sum), 0);
	assert_int_equal(sum.tsc, 0);
	assert_int_equal(vperfctr_unlink(self), 0);
	assert_int_equal(m.unlinked, 1);
	vperfctr_close(self);
	vperfctr_close(NULL);
	tear_down();
}

static void test_counters_of_other_thread_are_read(void **state)
{
	struct vperfctr_control c = all_kinds(), back;
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *other;

	(void)state;
	set_up();
	other = rvperfctr_open(4711);
	assert_non_null(other);
	assert_int_equal(m.tid, 4711);
	assert_int_equal(rvperfctr_pid(other), 4711);
	assert_int_equal(rvperfctr_control(other, &c), 0);
	m.sum = (struct vperfctr_sum_ctrs){ .tsc = 5, .pmc[2].count = 9 };
	assert_int_equal(rvperfctr_read_state(other, &sum, &back), 0);
	assert_int_equal(sum.tsc, 5);
	assert_int_equal(sum.pmc[2], 9);
	assert_int_equal(back.cpu_control.nrictrs, 1);
	m.children.pmc[1].count = 3;
	assert_int_equal(_vperfctr_read_children(m.fd, &sum), 0);
	assert_int_equal(sum.pmc[1], 3);
	assert_int_equal(rvperfctr_stop(other), 0);
	assert_int_equal(m.control.nrctrs, 0);
	assert_int_equal(rvperfctr_unlink(other), 0);
	rvperfctr_close(other);
	rvperfctr_close(NULL);
	tear_down();
}

static void test_driver_info_is_converted(void **state)
{
	struct perfctr_cpus_info *cpus;
	struct perfctr_info info;

	(void)state;
	set_up();
	assert_int_equal(perfctr_info(m.fd, &info), 0);
	assert_string_equal(info.driver_version, "1.2");
	assert_int_equal(info.cpu_features, PERFCTR_FEATURE_RDTSC);
	assert_int_equal(info.cpu_khz, 2000000);
	assert_int_equal(info.cpu_type, PERFCTR_X86_GENERIC);
	assert_int_equal(perfctr_info_nrctrs(&info), 0);
	assert_null(perfctr_cpu_event_set(info.cpu_type));
	assert_int_equal(perfctr_abi_check_fd(m.fd), 0);
	m.version++;
	assert_int_equal(perfctr_abi_check_fd(m.fd), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(perfctr_info(-1, &info), -1);
	assert_int_equal(errno, EBADF);
	assert_null(perfctr_cpus_info(-1));
	cpus = perfctr_cpus_info(m.fd);
	assert_non_null(cpus);
	assert_int_equal(cpus->nr_cpus, 70);
	assert_int_equal(cpus->cpus[1], 1);
	assert_int_equal(cpus->cpus_forbidden[0], 2);
	free(cpus);
	tear_down();
}

/*
 * If an allocation or mapping fails in vperfctr_open(), the call fails with errno set, and its
 * descriptor is closed.
 */
static void test_failed_open_leaks_no_descriptor(void **state)
{
	struct vperfctr *self = NULL;
	struct rvperfctr *other = NULL;
	struct perfctr_cpus_info *cpus = NULL;
	int next;
	long n;

	(void)state;
	set_up();
	m.exists = true;
	next = dup(m.fd);
	close(next);
	for (n = 1; !self || !other || !cpus; n++) {
		assert_true(n < 10);
		fault_arm(n, ENOMEM);
		errno = 0;
		self = vperfctr_open();
		if (!self)
			assert_int_equal(errno, ENOMEM);
		other = self ? rvperfctr_open(1) : NULL;
		cpus = other ? perfctr_cpus_info(m.fd) : NULL;
		fault_disarm();
		assert_true(cpus || errno == ENOMEM);
		free(cpus);
		rvperfctr_close(other);
		vperfctr_close(self);
		assert_int_equal(dup(m.fd), next);
		close(next);
	}
	assert_true(n > 5);
	tear_down();
}

static void check_list(unsigned long long low, unsigned long long high, unsigned int nr, const char *want)
{
	const unsigned long long mask[2] = { low, high };
	char list[64];

	vperf_cpu_list(list, sizeof(list), mask, nr);
	assert_string_equal(list, want);
}

static void test_cpu_masks_are_printed_as_lists(void **state)
{
	const unsigned long long many[2] = { 0x5555555555555555, 0x5555555555555555 };
	char list[16];

	(void)state;
	check_list(0, 0, 128, "");
	check_list(1, 0, 128, "0");
	check_list(0xff0d, 0, 128, "0,2-3,8-15");
	check_list(0x8000000000000000, 0x8000000000000003, 128, "63-65,127");
	check_list(~0ull, ~0ull, 128, "0-127");
	check_list(~0ull, ~0ull, 70, "0-69");
	vperf_cpu_list(list, sizeof(list), many, 128);
	assert_memory_equal(list, "0,2,4,6,8,10,12", sizeof(list));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failed_open_leaks_no_descriptor),
		cmocka_unit_test(test_control_is_passed_to_driver),
		cmocka_unit_test(test_invalid_control_is_refused),
		cmocka_unit_test(test_own_counters_are_read),
		cmocka_unit_test(test_counters_of_other_thread_are_read),
		cmocka_unit_test(test_driver_info_is_converted),
		cmocka_unit_test(test_cpu_masks_are_printed_as_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
