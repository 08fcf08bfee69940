// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * units.c -- programs in control groups for units.test:
 *   units busy N DIR         enter the group DIR, and work for about N ms
 *   units wait N DIR         enter the group DIR, and wait N times for 20 ms
 *   units move N DIR DIR     N times: work in the first group, then in the second one
 *   units carry N DIR DIR    N times: another process moves this one, which works all the time
 *   units many N DIR         create N groups DIR-1.service, ..., with a process that works in each
 *   units brief N DIR        N times: create the group DIR-1.service, ..., work in it, remove it
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS	250000		/* turns of a loop of four instructions */

static void die(const char *what)
{
	fprintf(stderr, "units: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void work(unsigned long ms)
{
	for (volatile unsigned long n = ms * MS; n; n--)
		;
}

__attribute__((noinline)) void in_first(void)
{
	for (volatile unsigned long n = 10 * MS; n; n--)
		;
}

__attribute__((noinline)) void in_second(void)
{
	for (volatile unsigned long n = 10 * MS; n; n--)
		;
}

static void enter(const char *dir, pid_t pid)
{
	char path[4096], text[16];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(text, sizeof(text), "%d", (int)pid);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

/* Run a child that works in a new group, and wait for its end. */
static void work_in_new(const char *dir, unsigned long ms)
{
	pid_t child;
	int status;

	if (mkdir(dir, 0755))
		die(dir);
	child = fork();
	if (!child) {
		enter(dir, getpid());
		work(ms);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		die("child");
}

static void create(const char *dir, long n, unsigned long ms, int remove)
{
	char path[4096];

	for (long i = 1; i <= n; i++) {
		snprintf(path, sizeof(path), "%s-%ld.service", dir, i);
		work_in_new(path, ms);
		if (remove && rmdir(path))
			die(path);
	}
}

static void carry(long n, const char *first, const char *second)
{
	pid_t child = fork();

	if (!child) {
		for (;;)
			in_first();
	}
	for (long i = 0; i < n; i++) {
		enter(i & 1 ? second : first, child);
		poll(NULL, 0, 10);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	long n = argc > 3 ? atol(argv[2]) : 0;

	if (!strcmp(what, "busy")) {
		enter(argv[3], getpid());
		work(n);
	} else if (!strcmp(what, "wait")) {
		enter(argv[3], getpid());
		while (n--)
			poll(NULL, 0, 20);
	} else if (!strcmp(what, "move") && argc > 4) {
		while (n--) {
			enter(argv[3], getpid());
			in_first();
			enter(argv[4], getpid());
			in_second();
		}
	} else if (!strcmp(what, "carry") && argc > 4) {
		carry(n, argv[3], argv[4]);
	} else if (!strcmp(what, "many")) {
		create(argv[3], n, 4, 0);
	} else if (!strcmp(what, "brief")) {
		create(argv[3], n, 25, 1);
	} else {
		fprintf(stderr, "units: see the top of units.c\n");
		return 1;
	}
	return 0;
}
