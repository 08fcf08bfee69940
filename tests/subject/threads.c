// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads SECONDS [late] -- two threads compute in functions of their own for this CPU time each,
 * while the main thread sleeps. A child that was forked before computes, too. Each sets its task
 * name to its function's name; late: only after it has computed and made system calls, for a tenth
 * of a second each.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common.h"
#include "work.h"

WORK(threads_one)
WORK(threads_two)
WORK(threads_child)

static double seconds;
static bool late;

static void enter_kernel_often(void)
{
	while (cpu_time() < 0.1)
		;
	while (cpu_time() < 0.2)
		for (int i = 0; i < 1000; i++)
			getppid();
}

#define RUN(name)					\
	static void *run_##name(void *arg)		\
	{						\
		(void)arg;				\
		if (late)				\
			enter_kernel_often();		\
		prctl(PR_SET_NAME, #name);		\
		while (cpu_time() < seconds)		\
			name(1000000);			\
		return NULL;				\
	}
RUN(threads_one)
RUN(threads_two)
RUN(threads_child)

int main(int argc, char **argv)
{
	pthread_t one, two;
	pid_t child;

	late = argc == 3 && !strcmp(argv[2], "late");
	seconds = seconds_argument(late ? 2 : argc, argv);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		run_threads_child(NULL);
		return 0;
	}
	if (pthread_create(&one, NULL, run_threads_one, NULL) ||
	    pthread_create(&two, NULL, run_threads_two, NULL))
		errx(1, "no threads");
	printf("threads: running\n");
	fflush(stdout);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
