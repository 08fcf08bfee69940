// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks -- programs of an unprivileged user that try to make sampling expensive, or to prevent
 * samples of other users.
 *   tasks contend SECONDS	compute while another thread changes the memory map without a pause;
 * 			print how often the computing thread had to wait
 *   tasks toggle N SECONDS	N processes on the first CPU change their executable mappings
 *   tasks sleepers N	N processes of a user with a range of ids, each with another id, each in
 * 			a write() that does not return until stdin ends; needs root for the range
 *   tasks helped N	the same with one id and N user namespaces, which a helper of root creates
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
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

static void map_ids(pid_t pid, const char *file, const char *ids)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	map = fopen(path, "w");
	if (!map || fprintf(map, "%s\n", ids) < 0 || fclose(map))
		err(1, "%s", path);
}

static void write_for_ever(int id, int fd)
{
	static const char much[64UL << 20];

	if (setgid(id) || setuid(id))
		err(1, "id %d", id);
	/* repeat this call, because changing the user id clears the setting */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (write(fd, much, sizeof(much)) > 0)
		;
	_exit(0);
}

/*
 * The user's process: create a namespace, wait until root has written its id mapping, and then
 * sleep in write() in many processes.
 */
static void be_many(int nr, int (*pipes)[2], int ready, int mapped)
{
	char c = 0;

	if (setgid(65534) || setuid(65534) || unshare(CLONE_NEWUSER))
		err(1, "no user namespace");
	if (write(ready, &c, 1) != 1 || read(mapped, &c, 1) != 1)
		err(1, "pipe");
	if (setgid(0) || setuid(0))
		err(1, "no ids");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < nr; i++) {
		if (!fork())
			write_for_ever(i + 1, pipes[i][1]);
	}
	for (;;)
		pause();
}

/* A process that root's helper starts: it keeps root's user id until its own namespace exists. */
static void be_helped(int fd, int ready, int mapped)
{
	char c = 0;

	if (unshare(CLONE_NEWUSER))
		err(1, "no user namespace");
	if (write(ready, &c, 1) != 1 || read(mapped, &c, 1) != 1)
		err(1, "pipe");
	write_for_ever(65534, fd);
}

/* Start a child that creates its own namespace, and write the id mapping @ids for this
 * namespace. */
static pid_t start(int nr, int (*pipes)[2], int helped, const char *ids)
{
	/* pipes of this child alone, so that no other process can write to them */
	int ready[2], mapped[2];
	char c = 0;
	pid_t pid;

	if (pipe(ready) || pipe(mapped))
		err(1, "pipe");
	pid = fork();
	if (!pid && helped >= 0)
		be_helped(pipes[helped][1], ready[1], mapped[0]);
	if (!pid)
		be_many(nr, pipes, ready[1], mapped[0]);
	if (read(ready[0], &c, 1) != 1)
		err(1, "read");
	map_ids(pid, "uid_map", ids);
	map_ids(pid, "gid_map", ids);
	if (write(mapped[1], &c, 1) != 1)
		err(1, "write");
	return pid;
}

/* Read from each pipe just enough that its writer continues, until the input ends. */
static int pump(int nr, int (*pipes)[2])
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	char *buf = malloc(65536);

	for (int i = 0; i < nr; i++) {
		/* wait until the writer is in write() */
		if (read(pipes[i][0], buf, 4096) <= 0)
			err(1, "read");
	}
	puts("sleepers: ready");
	fflush(stdout);
	while (!poll(&input, 1, 0)) {
		for (int i = 0; i < nr; i++) {
			if (read(pipes[i][0], buf, 65536) <= 0)
				err(1, "read");
		}
	}
	return 0;
}

static int sleepers(int nr, bool helped)
{
	int (*pipes)[2] = calloc(nr, sizeof(*pipes));
	pid_t pid;

	for (int i = 0; i < nr; i++) {
		if (pipe(pipes[i]))
			err(1, "pipe");
	}
	if (!helped) {
		/* map a single range of ids, as newuidmap permits to users */
		pid = start(nr, pipes, -1, "0 100000 1000");
		pump(nr, pipes);
		return kill(pid, SIGKILL);	/* killing this process kills all others */
	}
	for (int i = 0; i < nr; i++)
		start(nr, pipes, i, "65534 65534 1");
	return pump(nr, pipes);
}

int main(int argc, char **argv)
{
	double end = 0;

	if (argc == 3 && !strcmp(argv[1], "contend"))
		return contend(atof(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "sleepers"))
		return sleepers(atoi(argv[2]), false);
	if (argc == 3 && !strcmp(argv[1], "helped"))
		return sleepers(atoi(argv[2]), true);
	if (argc == 4 && !strcmp(argv[1], "toggle"))
		end = now() + atof(argv[3]);
	else
		errx(2, "usage: tasks contend SECONDS | toggle N SECONDS | sleepers N | helped N");
	for (int i = 0; i < atoi(argv[2]); i++) {
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
