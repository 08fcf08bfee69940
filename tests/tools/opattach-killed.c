// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-killed.c -- preloaded into opattach: kills opattach before its $DIE_AT-th call of a
 * function that acts on another process. With $DIE_PID, sends the signal $DIE_BY (KILL, USR1) to
 * that process instead, and creates the file "died". With $DIE_EXEC, the call then waits until that
 * process executes this program, for a limited time, because opattach may have stopped the thread
 * that would execute it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_for_exec(const char *pid, const char *program)
{
	char link[64], is[4096];
	ssize_t len;
	int turns = 200;

	snprintf(link, sizeof(link), "/proc/%s/exe", pid);
	do {
		usleep(1000);
		len = readlink(link, is, sizeof(is) - 1);
		is[len > 0 ? len : 0] = '\0';
	} while (len > 0 && strcmp(is, program) && turns--);
}

static void *step(const char *name)
{
	static int nr;
	const char *at = getenv("DIE_AT"), *pid = getenv("DIE_PID"), *by = getenv("DIE_BY");

	if (at && ++nr == atoi(at)) {
		if (pid)
			close(open("died", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		kill(pid ? atoi(pid) : getpid(), by && !strcmp(by, "USR1") ? SIGUSR1 : SIGKILL);
		if (pid && getenv("DIE_EXEC"))
			wait_for_exec(pid, getenv("DIE_EXEC"));
	}
	return dlsym(RTLD_NEXT, name);
}

long ptrace(int request, ...)
{
	long (*real)(int request, ...) = step("ptrace");
	va_list args;
	void *at, *data;
	int pid;

	va_start(args, request);
	pid = va_arg(args, int);
	at = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	return real(request, pid, at, data);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	pid_t (*real)(pid_t pid, int *status, int options) = step("waitpid");

	return real(pid, status, options);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t at)
{
	ssize_t (*real)(int fd, const void *buf, size_t len, off_t at) = step("pwrite");

	return real(fd, buf, len, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t at)
{
	ssize_t (*real)(int fd, const void *buf, size_t len, off64_t at) = step("pwrite64");

	return real(fd, buf, len, at);
}
