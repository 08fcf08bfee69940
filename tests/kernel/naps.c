// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naps.c -- causes known numbers of events for tracepoints.test: `naps N [CALLS]` sleeps N times,
 * which causes N context switches, and calls getppid(2) CALLS times.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void nap(void)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	nanosleep(&time, NULL);
}

__attribute__((noinline)) void ask(void)
{
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
		nap();
	for (long i = argc > 2 ? atol(argv[2]) : 0; i > 0; i--)
		ask();
	return 0;
}
