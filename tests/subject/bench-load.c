// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-load compute TURNS | fork COUNT TURNS PROGRAM -- does a fixed amount of work and prints the
 * elapsed nanoseconds. In a guest whose clock counts instructions, these are instructions.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

WORK(bench_compute)

static void fork_load(unsigned long count, char *turns, char *program)
{
	char *argv[] = { program, turns, NULL };
	pid_t pid;

	while (count--) {
		pid = fork();
		if (pid == 0) {
			execv(program, argv);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			err(1, "fork");
	}
}

int main(int argc, char **argv)
{
	double t;

	pin();
	t = now();
	if (argc == 3 && !strcmp(argv[1], "compute"))
		bench_compute(strtoul(argv[2], NULL, 0));
	else if (argc == 5 && !strcmp(argv[1], "fork"))
		fork_load(strtoul(argv[2], NULL, 0), argv[3], argv[4]);
	else
		errx(2, "usage: bench-load compute TURNS | fork COUNT TURNS PROGRAM");
	printf("%.0f\n", (now() - t) * 1e9);
	return 0;
}
