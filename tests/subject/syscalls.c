// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls SECONDS [getpid|read] -- a program that spends a known share of its time in the kernel.
 * read (the default): reads /dev/zero, where the kernel fills memory, and executes about a quarter
 * as much user code; prints "syscalls: kernel NN.NN %" by its own clock. This clock continues while
 * another program or the host has the CPU; therefore rounds are short, and rounds that took much
 * longer than usual are discarded. getpid: only makes system calls.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

WORK(syscalls_user)

static void getpid_loop(double end)
{
	unsigned long calls = 0;

	do {
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getpid);
		calls += 1000;
	} while (now() < end);
	printf("syscalls: %lu calls\n", calls);
}

#define MAX_ROUNDS 1000000

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the mean of the values that are less than twice the median. */
static double usual(double *values, int nr)
{
	double sum = 0, limit;
	int n;

	qsort(values, nr, sizeof(*values), compare);
	limit = values[nr / 2] * 2;
	for (n = 0; n < nr && values[n] < limit; n++)
		sum += values[n];
	return sum / n;
}

static void read_loop(double end)
{
	static double read_cost[MAX_ROUNDS], turn_cost[MAX_ROUNDS];
	static char buffer[256 * 1024];
	double t0, t1, t2, best = 1e9, reads = 0, turns = 0, in_kernel, in_user;
	unsigned long unit, work;
	int fd = open("/dev/zero", O_RDONLY), nr = 0, i, n;

	if (fd < 0)
		err(1, "/dev/zero");
	memset(buffer, 1, sizeof(buffer));
	for (i = 0; i < 100; i++) {
		t0 = now();
		if (read(fd, buffer, sizeof(buffer)) < 0)
			err(1, "read");
		t1 = now();
		if (t1 - t0 < best)
			best = t1 - t0;
	}
	unit = turns_per_ms(syscalls_user) * best * 250 + 1;
	do {
		n = 4 * jitter();
		t0 = now();
		for (i = 0; i < n; i++)
			if (read(fd, buffer, sizeof(buffer)) < 0)
				err(1, "read");
		t1 = now();
		work = unit * n;
		t2 = now();
		syscalls_user(work);
		read_cost[nr] = (t1 - t0) / n;
		turn_cost[nr] = (now() - t2) / work;
		reads += n;
		turns += work;
	} while (++nr < MAX_ROUNDS && now() < end);
	in_kernel = reads * usual(read_cost, nr);
	in_user = turns * usual(turn_cost, nr);
	printf("syscalls: kernel %.2f %%\n", 100 * in_kernel / (in_kernel + in_user));
}

int main(int argc, char **argv)
{
	double end = now() + seconds_argument(argc, argv);

	pin();
	if (argc > 2 && !strcmp(argv[2], "getpid"))
		getpid_loop(end);
	else
		read_loop(end);
	return 0;
}
