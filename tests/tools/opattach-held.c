// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-held -- holds a lock of the dynamic loader while the file "hold" exists, and works until
 * the file "stop" exists. A thread that calls dlopen() in that time waits after the library was
 * mapped and before it is relocated. The first thread appends a byte to the file "ready" in each
 * round.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "die_with.h"

#define DONE	1	/* value that ends dl_iterate_phdr()'s iteration */

static volatile unsigned long sum;

static int wait_in_dl_iterate(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	close(open("held", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (!access("hold", F_OK))
		usleep(10000);
	unlink("held");
	return DONE;
}

static void *hold(void *arg)
{
	while (access("stop", F_OK)) {
		if (!access("hold", F_OK))
			dl_iterate_phdr(wait_in_dl_iterate, NULL);
		usleep(10000);
	}
	return arg;
}

static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sum += i;
}

static void *work_on(void *arg)
{
	while (access("stop", F_OK))
		work();
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	int ready;

	if (!die_with_test())
		return 1;
	ready = open("ready", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	pthread_create(&threads[0], NULL, hold, NULL);
	pthread_create(&threads[1], NULL, work_on, NULL);
	while (access("stop", F_OK)) {
		if (write(ready, ".", 1) != 1)
			return 1;
		work();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("right");
	return 3;
}
