// SPDX-License-Identifier: GPL-2.0-or-later
/* time.c -- tests of virtual time. */
#include "vp.h"

#include <sys/resource.h>

static uint64_t spin_until(double end, int fd)
{
	struct vperfctr_read r;

	while (seconds() < end)
		;
	if (read_all(fd, &r))
		return 0;
	return r.sum.tsc;
}

/* Check that reads of virtual time in user mode never decrease. */
static void never_backwards(int fd)
{
	volatile const struct vperfctr_state *k = map(fd);
	uint64_t last = 0, v;
	struct vperfctr_read r;
	int bad = 0, cpu = 0;
	long n = 0;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			;
	for (; n < 1000000; n++) {
		if (n % 1000 == 0)
			pin(cpu ^= 1);
		v = read_tsc(k);
		bad += v < last;
		last = v;
	}
	want_ok(read_all(fd, &r));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("%ld user reads under migration: %d backwards; last %llu, call %llu\n", n, bad, (unsigned long long)last,
	       (unsigned long long)r.sum.tsc);
	if (bad || last > r.sum.tsc)
		fail("user reads");
}

/*
 * Run two threads on one CPU for 2 s. Print the sum of their virtual times in percent of these 2 s.
 * Return false if the sum is wrong.
 */
static bool check_shares(int fd)
{
	double end, hz, t0 = seconds(), shares[2];
	uint64_t c0 = tsc(), own, v = 0;
	struct vperfctr_read r;
	int other[2];
	pid_t pid;

	if (pipe(other))
		exit(1);
	want_ok(set(fd, 0, 0));
	end = t0 + 2;
	want_ok(set(fd, 1, 0));
	pid = fork();
	if (!pid) {
		uint64_t mine;
		int f = open_tid(0, 0);

		mine = spin_until(end, f);
		if (write(other[1], &mine, sizeof(mine)) != sizeof(mine))
			_exit(1);
		_exit(0);
	}
	own = spin_until(end, fd);
	hz = (tsc() - c0) / (seconds() - t0);
	if (read(other[0], &v, sizeof(v)) != sizeof(v))
		fail("the child says nothing");
	reap(pid, 0);
	shares[0] = own / (hz * 0.02);
	shares[1] = v / (hz * 0.02);
	printf("2 threads, 1 CPU, 2 s: %.1f %% + %.1f %% of %.0f Mcycles\n", shares[0], shares[1], hz * 2e-6);
	want_ok(read_all(fd, &r));
	if (r.children.nr_children != 1 || r.children.tsc < v)
		fail("children: %llu, tsc %llu", (unsigned long long)r.children.nr_children,
		     (unsigned long long)r.children.tsc);
	close(other[0]);
	close(other[1]);
	return shares[0] + shares[1] > 98 && shares[0] + shares[1] < 102 && shares[0] > 45 && shares[0] < 55 &&
		shares[1] > 45 && shares[1] < 55;
}

static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw + use.ru_nivcsw;
}

/*
 * Compare the virtual time of a thread that runs alone with real time, for 10 s in tenths of a
 * second. Skip a tenth in which another task ran, which kernels allow briefly beside SCHED_FIFO, or
 * in which the virtual machine itself got no CPU between the reads of the two clocks.
 */
static void check_real_time(int fd)
{
	struct sched_param fifo = { .sched_priority = 50 }, other = { 0 };
	FILE *limit = fopen("/proc/sys/kernel/sched_rt_runtime_us", "w");
	volatile const struct vperfctr_state *k = map(fd);
	uint64_t sum = 0, time = 0;
	int tenths = 0, tries = 0;

	if (limit) {
		fputs("-1", limit);
		fclose(limit);
	}
	want_ok(set(fd, 1, 0));
	want_ok(sched_setscheduler(0, SCHED_FIFO, &fifo));
	for (; tenths < 100 && tries < 300; tries++) {
		double end = seconds() + 0.1;
		long before = switches();
		uint64_t c0 = tsc(), v0 = read_tsc(k), apart = tsc() - c0, c1, v1;

		while (seconds() < end)
			;
		c1 = tsc();
		v1 = read_tsc(k);
		apart += tsc() - c1;
		if (switches() != before || apart > (c1 - c0) / 2000)
			continue;
		tenths++;
		sum += v1 - v0;
		time += c1 - c0;
	}
	want_ok(sched_setscheduler(0, SCHED_OTHER, &other));
	printf("SCHED_FIFO, %d tenths of a second of %d: %.6f of the TSC\n", tenths, tries, (double)sum / time);
	if (tenths < 100 || sum < time * 0.999 || sum > time * 1.001)
		fail("virtual time of a thread alone");
}

void test_time(void)
{
	int fd, tries = 5;

	pin(0);
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	/*
	 * Retry, because other tasks on this CPU and the end of the last time slice add a random
	 * error; a wrong count fails each time.
	 */
	while (!check_shares(fd)) {
		if (--tries)
			continue;
		fail("shares of a CPU");
		break;
	}
	check_real_time(fd);
	never_backwards(fd);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}
