// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-load compute TURNS | fork COUNT TURNS PROGRAM | pipe COUNT TURNS | futex COUNT TURNS -- does
 * a fixed amount of work and prints the elapsed nanoseconds. In a guest whose clock counts
 * instructions, these are instructions. pipe and futex: two processes on one CPU wake each other,
 * with COUNT context switches, and compute TURNS before each.
 */
#include <linux/futex.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

/* A place where one of the two processes waits for the other. */
struct gate {
	int fds[2];		/* a pipe; unused with futexes */
	unsigned int open;
};

static void gate_open(struct gate *gate, bool futex)
{
	if (!futex) {
		if (write(gate->fds[1], "", 1) != 1)
			err(1, "write");
		return;
	}
	__atomic_store_n(&gate->open, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &gate->open, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void gate_pass(struct gate *gate, bool futex)
{
	char byte;

	if (!futex) {
		if (read(gate->fds[0], &byte, 1) != 1)
			err(1, "read");
		return;
	}
	while (!__atomic_exchange_n(&gate->open, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &gate->open, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* Both processes are on one CPU, so the woken one runs as soon as the other waits. */
static void switch_load(bool futex, unsigned long count, unsigned long turns)
{
	struct gate *gate = mmap(NULL, sizeof(*gate) * 2, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int mine;
	pid_t child;

	if (gate == MAP_FAILED || pipe(gate[0].fds) || pipe(gate[1].fds))
		err(1, "pipe");
	child = fork();
	if (child < 0)
		err(1, "fork");
	mine = !child;
	if (mine)
		gate_pass(&gate[1], futex);
	for (count /= 2; count; count--) {
		if (turns)
			bench_compute(turns);
		gate_open(&gate[!mine], futex);
		if (count > 1 || !mine)
			gate_pass(&gate[mine], futex);
	}
	if (mine)
		_exit(0);
	if (waitpid(child, NULL, 0) != child)
		err(1, "waitpid");
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
	else if (argc == 4 && (!strcmp(argv[1], "pipe") || !strcmp(argv[1], "futex")))
		switch_load(!strcmp(argv[1], "futex"), strtoul(argv[2], NULL, 0),
			    strtoul(argv[3], NULL, 0));
	else
		errx(2, "usage: bench-load compute TURNS | fork COUNT TURNS PROGRAM | "
		     "pipe|futex COUNT TURNS");
	printf("%.0f\n", (now() - t) * 1e9);
	return 0;
}
