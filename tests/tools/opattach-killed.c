// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-killed.c -- preloaded into opattach: it is killed before its $DIE_AT-th call of what touches another process; or process
 * $DIE_PID is, by $DIE_BY (KILL, USR1), and the file "died" says so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void *step(const char *name)
{
	static int nr;
	const char *at = getenv("DIE_AT"), *pid = getenv("DIE_PID"), *by = getenv("DIE_BY");

	if (at && ++nr == atoi(at)) {
		if (pid)
			close(open("died", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		kill(pid ? atoi(pid) : getpid(), by && !strcmp(by, "USR1") ? SIGUSR1 : SIGKILL);
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

ssize_t process_vm_writev(pid_t pid, const struct iovec *from, unsigned long nr_from, const struct iovec *to,
			  unsigned long nr_to, unsigned long flags)
{
	ssize_t (*real)(pid_t pid, const struct iovec *from, unsigned long nr_from, const struct iovec *to, unsigned long nr_to,
			unsigned long flags) = step("process_vm_writev");

	return real(pid, from, nr_from, to, nr_to, flags);
}
