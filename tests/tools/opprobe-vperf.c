// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-vperf.c -- four threads, and a forked child, that cause page faults. Prints the numbers
 * of faults, and the lowest free descriptor: "threads FAULTS", "child FAULTS", "free FD".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART	__attribute__((noinline, noclone))
#define THREADS	4
#define PAGES	500
#define PAGE	4096

static long total;

APART void touch(volatile char *at)
{
	for (size_t i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

static long some(void)
{
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
	touch(at);
	munmap(at, PAGES * PAGE);
	return PAGES;
}

static void *work(void *arg)
{
	for (int i = 0; i < 4; i++)
		__atomic_fetch_add(&total, some(), __ATOMIC_RELAXED);
	free(malloc(1000));
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];
	pid_t child;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("threads %ld\nfree %d\n", total, fd);
	fflush(stdout);
	child = fork();
	if (!child) {
		printf("child %ld\n", some());
		exit(0);
	}
	waitpid(child, NULL, 0);
	return 3;
}
