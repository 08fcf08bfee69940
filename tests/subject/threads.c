// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads SECONDS -- two threads compute for that much CPU time each, each in a function of its own, while the
 * first one sleeps; a child that was forked before them computes, too. Each calls itself as its function.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common.h"
#include "work.h"

WORK(threads_one)
WORK(threads_two)
WORK(threads_child)

static double seconds;

#define RUN(name)					\
	static void *run_##name(void *arg)		\
	{						\
		(void)arg;				\
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

	seconds = seconds_argument(argc, argv);
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
