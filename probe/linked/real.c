// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * real.c -- lookup of the C library's functions in a static program, by their internal names: the
 * public names are weak, and the probe defines them.
 */
#include "config.h"
#include "probe/wrap/real.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>

#include "probe/linux/calls.h"

extern int __execve(const char *path, char *const argv[], char *const envp[]);
extern int __execvpe(const char *file, char *const argv[], char *const envp[]);
extern int __pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			    void *(*start)(void *arg), void *arg);
extern int __thrd_create(thrd_t *thread, thrd_start_t start, void *arg);
extern int __sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
extern int __sigwait(const sigset_t *set, int *sig);
extern int __sigwaitinfo(const sigset_t *set, siginfo_t *info);

/* Functions that have no internal name in the C library: make the system calls directly. */

static int end_call(long ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

static int do_execveat(int dirfd, const char *path, char *const argv[], char *const envp[],
		       int flags)
{
	return end_call(
		arch_call(SYS_execveat, dirfd, (long)path, (long)argv, (long)envp, flags, 0));
}

static int do_fexecve(int fd, char *const argv[], char *const envp[])
{
	return do_execveat(fd, "", argv, envp, 0x1000 /* AT_EMPTY_PATH */);
}

static int do_signalfd(int fd, const sigset_t *set, int flags)
{
	return end_call(arch_call(SYS_signalfd4, fd, (long)set, _NSIG / 8, flags, 0, 0));
}

static const struct { const char *name; void *function; } functions[] = {
	{ "execve", __execve },
	{ "execveat", do_execveat },
	{ "execvpe", __execvpe },
	{ "fexecve", do_fexecve },
	{ "pthread_create", __pthread_create },
	{ "signalfd", do_signalfd },
	{ "sigtimedwait", __sigtimedwait },
	{ "sigwait", __sigwait },
	{ "sigwaitinfo", __sigwaitinfo },
	{ "thrd_create", __thrd_create },
};

void *real_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!__builtin_strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}
