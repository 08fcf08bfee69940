// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * containers.c -- short-lived containers for containers.test. Built with -DNAME=a or b, it is also the
 * program of the containers: `containers work MS` works for MS ms in the function work_of_NAME.
 *   containers run N MS GROUPS A B   N containers, one after another, that work for MS ms each. The
 *       container I has a group of its own below GROUPS, docker-ID.scope, with I in the first 12
 *       digits of ID, and the file /app/prog of its own: a copy of A if I is even, otherwise of B.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOIN_(a, b)	a##b
#define JOIN(a, b)	JOIN_(a, b)
#define PROGRAM		"/app/prog"

static void die(const char *what)
{
	fprintf(stderr, "containers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static __attribute__((noinline)) void JOIN(work_of_, NAME)(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static void copy(const char *from, const char *to)
{
	struct stat st;
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0755);

	if (in < 0 || out < 0 || fstat(in, &st) || sendfile(out, in, NULL, st.st_size) != st.st_size)
		die(to);
	close(in);
	close(out);
}

static void enter(const char *group)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die(path);
	close(fd);
}

static void run_container(const char *group, const char *file, char *ms)
{
	char *argv[] = { PROGRAM, "work", ms, NULL };

	enter(group);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/app", "tmpfs", 0, NULL))
		die("/app");
	copy(file, PROGRAM);
	execv(PROGRAM, argv);
	die(PROGRAM);
}

static void run(long nr, char *ms, const char *groups, char **files)
{
	mkdir("/app", 0755);
	for (long i = 0; i < nr; i++) {
		char group[256];
		int status;
		pid_t child;

		snprintf(group, sizeof(group), "%s/docker-%012ld%052d.scope", groups, i, 0);
		if (mkdir(group, 0755))
			die(group);
		child = fork();
		if (!child)
			run_container(group, files[i & 1], ms);
		if (waitpid(child, &status, 0) != child || status)
			die("child");
		if (rmdir(group))
			die(group);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "work")) {
		while (cpu_ms() < atol(argv[2]))
			JOIN(work_of_, NAME)();
	} else if (argc == 7 && !strcmp(argv[1], "run")) {
		run(atol(argv[2]), argv[3], argv[4], argv + 5);
	} else {
		fprintf(stderr, "containers: see the top of containers.c\n");
		return 1;
	}
	return 0;
}
