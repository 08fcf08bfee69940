// SPDX-License-Identifier: GPL-2.0-or-later
/* control.c -- tests what happens to the counts when a thread's settings change. */
#include "vp.h"

/*
 * Change the settings from @from to @to (bit 0: the TSC is counted; bit 1: a slot is counted), and
 * check that the sums have the documented values.
 */
static void transition(int fd, int from, int to, int preserve)
{
	struct vperfctr_control c = settings(to & 1, to >> 1);
	uint64_t want = (preserve && (from & 2) ? 7 : 0) + (to & 2 ? 5 : 0), was, begin;
	struct vperfctr_read r;

	want_ok(set(fd, 0, 0));
	want_ok(set(fd, from & 1, from >> 1));
	touch(7);
	begin = tsc();
	while (tsc() - begin < 100000)
		;
	want_ok(read_all(fd, &r));
	was = r.sum.tsc;
	if ((from & 1) != !!was || r.sum.pmc[0].count != (from & 2 ? 7 : 0))
		fail("%d: tsc %llu, %llu faults", from, (unsigned long long)was, (unsigned long long)r.sum.pmc[0].count);
	c.preserve = preserve;
	want_ok(control(fd, &c));
	touch(5);
	want_ok(read_all(fd, &r));
	if (r.sum.pmc[0].count != want)
		fail("%d to %d, preserve %d: %llu faults, not %llu", from, to, preserve,
		     (unsigned long long)r.sum.pmc[0].count, (unsigned long long)want);
	if (to & 1 ? r.sum.tsc <= was : r.sum.tsc != 0)
		fail("%d to %d: tsc %llu, was %llu", from, to, (unsigned long long)r.sum.tsc, (unsigned long long)was);
}

void test_control(void)
{
	struct vperfctr_read r;
	struct vperfctr_control c;
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	touch(20);
	for (int n = 0; n < 32; n++)
		transition(fd, n & 3, n >> 2 & 3, n >> 4);
	want_ok(set(fd, 1, 1));
	touch(10000);
	want_ok(read_all(fd, &r));
	printf("10000 fresh pages: %llu faults; page says %llu\n", (unsigned long long)r.sum.pmc[0].count,
	       (unsigned long long)map(fd)->cpu_state.pmc[0].sum);
	if (r.sum.pmc[0].count != 10000)
		fail("faults");
	/* a slot that shares its hardware counter reports enabled and running times */
	c = settings(1, 2);
	c.pmc[0].flags |= VPERFCTR_SHARE;
	want_ok(control(fd, &c));
	touch(100);
	want_ok(read_all(fd, &r));
	if (r.sum.pmc[0].count != 100 || r.sum.pmc[1].count != 100 || !r.sum.pmc[0].running ||
	    r.sum.pmc[0].running != r.sum.pmc[0].enabled || r.sum.pmc[1].enabled)
		fail("shared: %llu, %llu; %llu of %llu ns", (unsigned long long)r.sum.pmc[0].count,
		     (unsigned long long)r.sum.pmc[1].count, (unsigned long long)r.sum.pmc[0].running,
		     (unsigned long long)r.sum.pmc[0].enabled);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

/*
 * Turn each kind of setting on and off. The caller of this program counts how often static keys
 * patched the kernel's text.
 */
void test_keys(void)
{
	struct vperfctr_control c = settings(0, 3);
	int fd;

	c.pmc[1].config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	c.pmc[2].config = PERF_COUNT_SW_ALIGNMENT_FAULTS;
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	for (int i = 0; i < 200; i++) {
		want_ok(control(fd, &c));
		want_ok(set(fd, 0, 0));
	}
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}
