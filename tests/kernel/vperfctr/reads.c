// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reads.c -- tests reading counters in user mode while perf moves events between counters, and when
 * counters wrap around.
 */
#include "vp.h"

#include "libvperf/read.h"

struct reading {
	volatile const struct vperfctr_state *page;
	uint64_t last[2];
	long reads, calls, backwards;
};

static void read_both(struct reading *r, int fd)
{
	struct vperfctr_read call;

	for (int i = 0; i < 2; i++) {
		uint64_t now;

		if (vperf_state_pmc(r->page, i, &now)) {
			r->reads++;
		} else {
			want_ok(read_all(fd, &call));
			now = call.sum.pmc[i].count;
			r->calls++;
		}
		r->backwards += now < r->last[i];
		r->last[i] = now;
	}
}

static void check_reads(const char *what, const struct reading *r, int fd)
{
	struct vperfctr_read call;

	want_ok(read_all(fd, &call));
	printf("%s: %ld user reads, %ld calls, %ld backwards; %llu and %llu, the call says %llu and %llu\n", what, r->reads,
	       r->calls, r->backwards, (unsigned long long)r->last[0], (unsigned long long)r->last[1],
	       (unsigned long long)call.sum.pmc[0].count, (unsigned long long)call.sum.pmc[1].count);
	if (r->backwards || r->last[0] > call.sum.pmc[0].count || r->last[1] > call.sum.pmc[1].count)
		fail("%s: user reads", what);
	/* Both slots count the same event: a large difference is a wrong read. */
	if (llabs((long long)(call.sum.pmc[0].count - call.sum.pmc[1].count)) > 1000000)
		fail("%s: two slots of the same event differ", what);
	if (r->reads < r->calls)
		fail("%s: the page seldom tells", what);
}

static int open_event_of_other_user(int n)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_RAW, .config = 0x11, .pinned = 1 };

	return syscall(__NR_perf_event_open, &a, n % 2 ? 0 : -1, n % 2 ? -1 : n / 2 % 2, -1, 0);
}

/*
 * If the machine does not allow user mode to read counters, the page shows no counter, and the call
 * returns the counts.
 */
static void check_reads_without_permission(int fd, volatile const struct vperfctr_state *page)
{
	struct vperfctr_info info = { .size = sizeof(info) };
	struct vperfctr_control c = hardware(2);
	uint64_t now;

	want_ok(control(fd, &c));
	want_ok(ioctl(device, VPERFCTR_IOC_INFO, &info));
	if (vperf_state_pmc(page, 0, &now) || (info.features & VPERFCTR_FEATURE_RDPMC))
		fail("user reads where the machine does not let us: features %x", info.features);
}

static void set_access(const char *value)
{
	FILE *f = fopen("/proc/sys/kernel/perf_user_access", "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		fail("kernel.perf_user_access: %s", strerror(errno));
}

/* Read on both CPUs alternately, while events of other users start and stop there. */
static void read_among_other_events(struct reading *r, int fd)
{
	int other = -1, opened = 0;
	pid_t pid;

	pid = fork();	/* the child's copy of the counters can be read in user mode, too */
	if (!pid) {
		int own = open_tid(0, 0);
		struct reading mine = { .page = map(own) };

		for (int i = 0; i < 100000; i++)
			read_both(&mine, own);
		_exit(mine.reads < mine.calls || mine.backwards || !(mine.page->features & VPERFCTR_FEATURE_RDPMC));
	}
	for (int n = 0; n < 400000; n++) {
		if (n % 1000 == 0)
			pin(n / 1000 % 2);
		if (n % 400 == 0) {
			if (other >= 0) {
				close(other);
				other = -1;
			} else {
				other = open_event_of_other_user(n / 400);
				opened += other >= 0;
			}
		}
		read_both(r, fd);
	}
	close(other);
	reap(pid, 0);
	printf("others came and went %d times\n", opened);
	if (opened < 400)
		fail("others' events");
	check_reads("migrating, others come and go", r, fd);
}

void test_reads(void)
{
	struct vperfctr_info info = { .size = sizeof(info) };
	struct vperfctr_control c = hardware(2);
	struct reading r = { 0 };
	pid_t pid;
	int fd;

	set_access("0");
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	r.page = map(fd);
	check_reads_without_permission(fd, r.page);
	set_access("1");
	want_ok(control(fd, &c));
	want_ok(ioctl(device, VPERFCTR_IOC_INFO, &info));
	if (!(info.features & VPERFCTR_FEATURE_RDPMC) || !(r.page->features & VPERFCTR_FEATURE_RDPMC))
		fail("nobody tells of user reads: features %x, the page's %llx", info.features,
		     (unsigned long long)r.page->features);
	read_among_other_events(&r, fd);
	r.reads = r.calls = 0;
	while (r.last[0] < 10000000000)
		read_both(&r, fd);
	check_reads("over wraps of 32 bits", &r, fd);

	/* After an exec, the new program can read its counters in user mode. */
	want_ok(control(fd, &c));
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "vperfctr", "readable", NULL);
		_exit(5);
	}
	reap(pid, 0);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
	set_access("0");
}

int test_readable(void)
{
	struct reading r = { 0 };
	int fd;

	want_ok(fd = open_tid(0, 0));
	r.page = map(fd);
	for (int i = 0; i < 100000; i++)
		read_both(&r, fd);
	if (r.calls > r.reads || r.backwards)
		fail("after exec: %ld user reads, %ld calls, %ld backwards", r.reads, r.calls, r.backwards);
	return failed;
}
