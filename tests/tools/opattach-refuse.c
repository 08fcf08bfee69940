// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-refuse.c -- preloaded into opattach: makes the kind of calls in $REFUSE fail as the
 * kernel would: perf (perf events), ptrace; yama also simulates the value of Yama's file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_refused(const char *what)
{
	const char *list = getenv("REFUSE");

	return list && strstr(list, what);
}

long syscall(long nr, ...)
{
	long (*real)(long nr, ...) = dlsym(RTLD_NEXT, "syscall"), a[6];
	va_list args;

	if (nr == SYS_perf_event_open && is_refused("perf")) {
		errno = EACCES;
		return -1;
	}
	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return real(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long ptrace(int request, ...)
{
	long (*real)(int request, ...) = dlsym(RTLD_NEXT, "ptrace"), a[3];
	va_list args;

	if (is_refused("ptrace") || is_refused("yama")) {
		errno = EPERM;
		return -1;
	}
	va_start(args, request);
	for (int i = 0; i < 3; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return real(request, a[0], a[1], a[2]);
}

/* Replace openat(), to simulate Yama's file also on machines that do not have it. */
int openat(int dir, const char *path, int flags, ...)
{
	int (*real)(int dir, const char *path, int flags, ...) = dlsym(RTLD_NEXT, "openat"), fd;
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (!is_refused("yama") || strcmp(path, "/proc/sys/kernel/yama/ptrace_scope"))
		return real(dir, path, flags, mode);
	fd = memfd_create("scope", MFD_CLOEXEC);
	if (fd >= 0 && (write(fd, "1\n", 2) != 2 || lseek(fd, 0, SEEK_SET)))
		abort();
	return fd;
}
