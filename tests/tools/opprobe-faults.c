// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-faults.c -- failure injection: lets the N-th system call that the probe makes in a
 * program fail.
 *
 * opprobe-faults N SAYS COMMAND ARG...: skip the N-th system call that can fail and that
 * libopprobe*.so makes, in any thread or child, and return an error such as ENOMEM instead. Write
 * its name to the file SAYS, which stays empty if there are fewer calls. The exit status is that of
 * the command, or 128 + the number of the signal that killed it.
 *
 * opprobe-faults: be the command: compute and allocate in two threads, load a library, fork, and
 * print the results.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TASKS	64

static const struct { long nr; const char *name; int err; } calls[] = {
	{ SYS_mmap, "mmap", ENOMEM },
	{ SYS_munmap, "munmap", ENOMEM },
	{ SYS_madvise, "madvise", ENOMEM },
	{ SYS_openat, "openat", EMFILE },
	{ SYS_read, "read", EIO },
	{ SYS_pread64, "pread64", EIO },
	{ SYS_write, "write", ENOSPC },
	{ SYS_pwrite64, "pwrite64", ENOSPC },
	{ SYS_fallocate, "fallocate", ENOSPC },
	{ SYS_ftruncate, "ftruncate", ENOSPC },
	{ SYS_statx, "statx", EACCES },
	{ SYS_mkdirat, "mkdirat", EACCES },
	{ SYS_unlinkat, "unlinkat", EACCES },
	{ SYS_readlinkat, "readlinkat", EACCES },
	{ SYS_getcwd, "getcwd", ENOENT },
	{ SYS_flock, "flock", EWOULDBLOCK },
	{ SYS_fcntl, "fcntl", EMFILE },
	{ SYS_ioctl, "ioctl", EIO },
	{ SYS_perf_event_open, "perf_event_open", EMFILE },
	{ SYS_timer_create, "timer_create", EAGAIN },
	{ SYS_timer_settime, "timer_settime", EINVAL },
	{ SYS_setitimer, "setitimer", EINVAL },
	{ SYS_process_vm_readv, "process_vm_readv", EPERM },
	{ SYS_sigaltstack, "sigaltstack", ENOMEM },
	{ SYS_prlimit64, "prlimit64", EPERM },
	{ SYS_getrusage, "getrusage", EINVAL },
};

/* For each task: the number of the system call at whose exit an error is returned, or -1. */
static struct task { pid_t pid; int failing; } tasks[MAX_TASKS];

static struct task *task_of(pid_t pid)
{
	for (int i = 0; i < MAX_TASKS; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	for (int i = 0; i < MAX_TASKS; i++)
		if (!tasks[i].pid) {
			tasks[i] = (struct task){ pid, -1 };
			return &tasks[i];
		}
	fprintf(stderr, "too many tasks\n");
	exit(99);
}

/* Return whether the code at @ip in process @pid belongs to the probe. */
static bool is_probe(pid_t pid, unsigned long ip)
{
	unsigned long start, end;
	char path[64], line[4500];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%lx-%lx", &start, &end) == 2 && ip >= start && ip < end && strstr(line, "/libopprobe");
	if (f)
		fclose(f);
	return found;
}

/* Handle the task's stop at the entry or exit of a system call. */
static void at_call(struct task *t, long *left, const char *says)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) <= 0 || ptrace(PTRACE_GETREGS, t->pid, NULL, &regs))
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->failing >= 0) {
		regs.rax = -calls[t->failing].err;
		ptrace(PTRACE_SETREGS, t->pid, NULL, &regs);
		t->failing = -1;
	}
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !*left)
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if ((long)info.entry.nr == calls[i].nr && is_probe(t->pid, info.instruction_pointer) && !--*left) {
			FILE *f = fopen(says, "w");

			if (f) {
				fprintf(f, "%s\n", calls[i].name);
				fclose(f);
			}
			regs.orig_rax = -1;
			ptrace(PTRACE_SETREGS, t->pid, NULL, &regs);
			t->failing = i;
		}
}

static int trace(long nr, const char *says, char **command)
{
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
		       PTRACE_O_EXITKILL;
	int status, ended = 99;
	pid_t first = fork(), pid;

	if (!first) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(command[0], command);
		_exit(127);
	}
	close(open(says, O_WRONLY | O_CREAT | O_TRUNC, 0600));
	if (waitpid(first, &status, 0) != first || !WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, first, NULL, options))
		return 99;
	ptrace(PTRACE_SYSCALL, first, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		struct task *t = task_of(pid);
		int sig = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (!WIFSTOPPED(status)) {
			t->pid = 0;
			if (pid == first)
				ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			continue;
		}
		if (sig == (SIGTRAP | 0x80))
			at_call(t, &nr, says);
		/*
		 * Do not deliver signals that tracing causes: the first stop of a new task, and
		 * ptrace events.
		 */
		if (sig == (SIGTRAP | 0x80) || status >> 16 || (sig == SIGSTOP && t->failing == -1 && pid != first))
			sig = 0;
		ptrace(PTRACE_SYSCALL, pid, NULL, (long)sig);
	}
	return ended;
}

static volatile uint64_t sink;

__attribute__((noinline)) void burn(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + i;
		__asm__ volatile("" : : "r"(x));
	}
	sink = x;
}

__attribute__((noinline)) void allocate(int depth)
{
	void *volatile block;

	if (depth) {
		allocate(depth - 1);
	} else {
		block = malloc(100);
		burn(200000);
		free(block);
	}
	sink++;
}

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++)
		allocate(i * 10);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status = -1;
	void *library;

	if (argc > 3)
		return trace(atol(argv[1]), argv[2], argv + 3);
	if (pthread_create(&thread, NULL, work, NULL))
		return 9;
	work(NULL);
	pthread_join(thread, NULL);
	library = dlopen("libm.so.6", RTLD_NOW);
	work(NULL);
	if (!fork()) {
		work(NULL);
		printf("child %d\n", !!library);
		fflush(stdout);
		_exit(4);
	}
	wait(&status);
	printf("said %d\n", WEXITSTATUS(status));
	return 3;
}
