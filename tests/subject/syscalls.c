// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls SECONDS [getpid|read] -- a kernel-heavy program that knows where its time went.
 * read (the default): reads of /dev/zero, which the kernel spends filling memory, and a quarter as
 * much user code; prints "syscalls: kernel NN.NN %" from its own clock. getpid: nothing but
 * system calls.
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
	int i;

	do {
		for (i = 0; i < 1000; i++)
			syscall(SYS_getpid);
		calls += 1000;
	} while (now() < end);
	printf("syscalls: %lu calls\n", calls);
}

static void read_loop(double end)
{
	static char buffer[256 * 1024];
	double t0, t1, t2, in_kernel = 0, in_user = 0;
	int fd = open("/dev/zero", O_RDONLY);
	unsigned long unit;
	int i, n;

	if (fd < 0)
		err(1, "/dev/zero");
	memset(buffer, 1, sizeof(buffer));
	unit = turns_per_ms(syscalls_user);
	do {
		t0 = now();
		n = 64 * jitter();
		for (i = 0; i < n; i++)
			if (read(fd, buffer, sizeof(buffer)) < 0)
				err(1, "read");
		t1 = now();
		syscalls_user(unit * ((t1 - t0) * 250) + 1);
		t2 = now();
		in_kernel += t1 - t0;
		in_user += t2 - t1;
	} while (t2 < end);
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
