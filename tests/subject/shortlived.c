// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shortlived COUNT MILLISECONDS PROGRAM... -- starts the programs in turn, COUNT times in all, each
 * with the argument MILLISECONDS (turns of a work loop), and waits for each.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

WORK(shortlived_calibrate)

int main(int argc, char **argv)
{
	char turns[32], *child_argv[] = { NULL, turns, NULL };
	unsigned long count, unit;
	int status;
	pid_t pid;

	if (argc < 4)
		errx(2, "usage: %s COUNT MILLISECONDS PROGRAM...", argv[0]);
	pin();
	count = strtoul(argv[1], NULL, 0);
	unit = turns_per_ms(shortlived_calibrate);
	for (unsigned long i = 0; i < count; i++) {
		child_argv[0] = argv[3 + i % (argc - 3)];
		snprintf(turns, sizeof(turns), "%.0f", unit * atof(argv[2]) * jitter() / 1.5);
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			execv(child_argv[0], child_argv);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
			errx(1, "%s: did not end well", child_argv[0]);
	}
	printf("shortlived: %lu programs\n", count);
	return 0;
}
