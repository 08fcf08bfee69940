// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks -- what tasks of an unprivileged user do to make sampling dear, or blind, for others.
 *   tasks contend SECONDS	computes for so long while another thread changes the memory map without a pause;
 *				prints how often the computing thread had to wait for something
 *   tasks toggle N SECONDS	N processes on the first CPU that change their executable mappings
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

#define MAPPED (32UL << 20)

WORK(compute)

static volatile int changing;

static void *change_map(void *unused)
{
	char *area = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		err(1, "mmap");
	memset(area, 1, MAPPED);
	for (;; changing = 1) {
		mprotect(area, MAPPED, PROT_READ | PROT_EXEC);
		mprotect(area, MAPPED, PROT_READ | PROT_WRITE);
	}
	return unused;
}

static int contend(double seconds)
{
	struct rusage before, after;
	pthread_t thread;
	double end;

	if (pthread_create(&thread, NULL, change_map, NULL))
		errx(1, "no thread");
	while (!changing)
		usleep(1000);
	end = cpu_time() + seconds;
	getrusage(RUSAGE_THREAD, &before);
	while (cpu_time() < end)
		compute(100000);
	getrusage(RUSAGE_THREAD, &after);
	printf("contend: waited %ld times\n", after.ru_nvcsw - before.ru_nvcsw);
	return 0;
}

static void toggle(double end)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	setenv("CPU", "0", 1);
	pin();
	while (now() < end) {
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
		mprotect(page, 4096, PROT_READ);
		sched_yield();
	}
}

int main(int argc, char **argv)
{
	double end = 0;
	int i;

	if (argc == 3 && !strcmp(argv[1], "contend"))
		return contend(atof(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "toggle"))
		end = now() + atof(argv[3]);
	else
		errx(2, "usage: tasks contend SECONDS | toggle N SECONDS");
	for (i = 0; i < atoi(argv[2]); i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			toggle(end);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
