// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks -- what tasks of an unprivileged user do to make sampling dear for others.
 *   tasks contend SECONDS	computes for so long while another thread changes the memory map without a pause;
 *				prints how often the computing thread had to wait for something
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

int main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[1], "contend"))
		errx(2, "usage: tasks contend SECONDS");
	return contend(atof(argv[2]));
}
