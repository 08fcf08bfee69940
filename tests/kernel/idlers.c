// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * idlers.c -- loads for waits-edges.test:
 *   idlers crowd N UID   N threads of the user UID wait in poll; prints "ready" when all wait, and ends at the end of its
 *                        input
 *   idlers storm N MS    N chains of processes for MS ms: each process creates the next one, and ends without a wait
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int never[2];
static atomic_long begun;

static void *wait_in_poll(void *unused)
{
	struct pollfd fd = { .fd = never[0], .events = POLLIN };

	(void)unused;
	begun++;
	poll(&fd, 1, -1);
	return NULL;
}

static void crowd(long nr)
{
	pthread_t *threads = calloc(nr, sizeof(*threads));
	pthread_attr_t attr;
	char byte;

	if (!threads || pipe(never) || pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, 16384))
		err(1, "crowd");
	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &attr, wait_in_poll, NULL))
			errx(1, "cannot create thread %ld", i);
	while (begun < nr)
		usleep(10000);
	usleep(100000);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) == 1)
		;
	close(never[1]);	/* ends the poll of all threads */
	for (long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static long ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void storm(long nr, long for_ms)
{
	atomic_long *forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long end = ms() + for_ms;

	if (forks == MAP_FAILED)
		err(1, "mmap");
	signal(SIGCHLD, SIG_IGN);
	for (long i = 0; i < nr; i++) {
		pid_t pid = fork();

		while (!pid && ms() < end) {
			pid = fork();
			if (pid > 0)
				_exit(0);
			*forks += !pid;
		}
		if (!pid)
			_exit(0);
	}
	usleep((for_ms + 300) * 1000);
	printf("%ld processes\n", *forks);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "crowd") && !setuid(atoi(argv[3])))
		crowd(atol(argv[2]));
	else if (argc == 4 && !strcmp(argv[1], "storm"))
		storm(atol(argv[2]), atol(argv[3]));
	else
		errx(2, "see the top of idlers.c");
	return 0;
}
