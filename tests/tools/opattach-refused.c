// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-refused KIND -- computes like opattach.c, but is a kind of program in which opattach
 * cannot call functions. It must continue unharmed.
 *
 * KIND: plain; strict, filter (restricted by seccomp, which kills the process for any system call
 * that it does not make itself, including a restarted sleep); traced (by its child); exec (becomes
 * plain on SIGUSR1).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "die_with.h"

/* Skip this in 32-bit builds, because the 32-bit kernel headers may be missing. */
#ifdef __x86_64__
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

static unsigned long hot(unsigned long n)
{
	unsigned long x = 1;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 1103515245UL + i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#ifdef __x86_64__
static bool begin_seccomp(const char *kind)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (!strcmp(kind, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static bool begin_seccomp(const char *kind)
{
	return kind != NULL;
}
#endif

/* The child lets its parent continue whenever it stops for a signal. */
static bool begin_tracer(void)
{
	pid_t parent = getpid(), child;
	int ready[2], status;
	char byte;

	if (pipe(ready))
		return true;
	child = fork();
	if (child) {
		prctl(PR_SET_PTRACER, child, 0, 0, 0);
		return child < 0 || read(ready[0], &byte, 1) != 1;
	}
	if (ptrace(PTRACE_SEIZE, parent, NULL, NULL) || write(ready[1], "t", 1) != 1)
		_exit(1);
	while (waitpid(parent, &status, __WALL) == parent && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, parent, NULL, (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
	_exit(0);
}

static void exec_as_plain(int sig)
{
	(void)sig;
	execl("/proc/self/exe", "plain", "plain", (char *)NULL);
}

int main(int argc, char **argv)
{
	int ready = open("ready", O_WRONLY | O_CREAT | O_APPEND, 0600), stop = open("stop", O_RDONLY | O_CREAT, 0600), err = 0;
	const char *kind = argc > 1 ? argv[1] : "plain";
	const bool sleeps = !strcmp(kind, "filter");
	unsigned long first = hot(1000000);
	char byte;

	if (!die_with_test())
		return 1;
	if (!strcmp(kind, "strict") || !strcmp(kind, "filter"))
		err = begin_seccomp(kind);
	else if (!strcmp(kind, "traced"))
		err = begin_tracer();
	else if (!strcmp(kind, "exec"))
		err = signal(SIGUSR1, exec_as_plain) == SIG_ERR;
	while (!err && read(stop, &byte, 1) != 1) {
		struct { long s, ns; } nap = { 0, 1000000 };

		err = hot(1000000) != first || write(ready, ".", 1) != 1 || (sleeps && syscall(SYS_nanosleep, &nap, NULL));
	}
	if (write(1, err ? "wrong\n" : "right\n", 6) == 6)
		syscall(SYS_exit, 3);
	return 1;
}
