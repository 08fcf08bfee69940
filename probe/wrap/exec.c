// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec.c -- replacements of exec*() that stop the collector's timer first, because the executed
 * program would inherit the timer; and of _exit() and similar functions, which do not run the
 * destructors that exit() runs.
 *
 * All variants are replaced, because inside the C library they do not call each other by their
 * public names. Variants with an argument list are implemented by variants with an argument vector.
 */
#include "config.h"
#include "probe/wrap/exec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

#define EXPORT	__attribute__((visibility("default")))

/* The real functions of the C library, found before main(). Global, because a replacement has only
 * the arguments of the real function. */
static struct {
	int (*execve)(const char *path, char *const argv[], char *const envp[]);
	int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
	int (*execveat)(int dirfd, const char *path, char *const argv[], char *const envp[],
			int flags);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
} real;

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.execve = real_function("execve");
	*(void **)&real.execvpe = real_function("execvpe");
	*(void **)&real.execveat = real_function("execveat");
	*(void **)&real.fexecve = real_function("fexecve");
}

/* strings "NAME=VALUE" that exec*() adds to environments; added[0] is set last; added[0] NULL:
 * exec*() adds nothing; atomic */
static const char *added[2];
/* strings "NAME=VALUE" that exec*() removes from environments; atomic */
static const char *replaced[2];

void exec_adds(const char *const variables[2], const char *const instead[2])
{
	__atomic_store_n(&added[0], NULL, __ATOMIC_RELEASE);
	if (!variables)
		return;
	for (int i = 0; i < 2; i++)
		__atomic_store_n(&replaced[i], instead[i], __ATOMIC_RELEASE);
	__atomic_store_n(&added[1], variables[1], __ATOMIC_RELEASE);
	__atomic_store_n(&added[0], variables[0], __ATOMIC_RELEASE);
}

static bool is_replaced(const char *variable)
{
	for (int i = 0; i < 2; i++) {
		const char *old = __atomic_load_n(&replaced[i], __ATOMIC_ACQUIRE);

		if (old && !__builtin_strcmp(variable, old))
			return true;
	}
	return false;
}

static bool has_name_of(char *const *envp, const char *variable)
{
	size_t len = __builtin_strchr(variable, '=') - variable + 1;

	for (; *envp; envp++)
		if (!__builtin_strncmp(*envp, variable, len) && !is_replaced(*envp))
			return true;
	return false;
}

/* exec*() may pass a copy of @envp with the added variables. Return the number of pointers in the
 * copy, including the final NULL. Return 0 if no variable must be added. */
static size_t room_of(char *const *envp)
{
	const char *first = __atomic_load_n(&added[0], __ATOMIC_ACQUIRE);
	size_t nr = 0;

	if (!first || !envp || has_name_of(envp, first))
		return 0;
	while (envp[nr])
		nr++;
	return nr + 3;
}

static char *const *add(const char **to, char *const *envp)
{
	const char **end = to;

	for (int i = 0; i < 2; i++) {
		const char *variable = __atomic_load_n(&added[i], __ATOMIC_ACQUIRE);

		if (variable && !has_name_of(envp, variable))
			*end++ = variable;
	}
	for (; *envp; envp++)
		if (!is_replaced(*envp))
			*end++ = *envp;
	*end = NULL;
	return (char *const *)to;
}

/* Expand to @envp or, if variables must be added, to a copy with the added variables. The copy is
 * on the caller's stack, because a child of vfork() must not allocate memory. */
#define WITH_ADDED(envp)									\
({												\
	char *const *envp_ = (envp);								\
	size_t room_ = room_of(envp_);								\
												\
	room_ ? add(__builtin_alloca(room_ * sizeof(char *)), envp_) : envp_;			\
})

/* Call a real exec function with the collector's timer stopped. Return -1 with errno if it
 * fails. */
#define WITHOUT_TIMER(function, ...)			\
({							\
	const struct hooks *hooks_ = hooks();		\
	long kept_[4];					\
	int err_;					\
							\
	if (!real.function)				\
		find_real();				\
	if (!real.function) {				\
		errno = ENOSYS;				\
		return -1;				\
	}						\
	hooks_->before_exec(kept_);			\
	real.function(__VA_ARGS__);			\
	err_ = errno;					\
	hooks_->exec_failed(kept_);			\
	errno = err_;					\
	-1;						\
})

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return WITHOUT_TIMER(execve, path, argv, WITH_ADDED(envp));
}

EXPORT int execv(const char *path, char *const argv[])
{
	return WITHOUT_TIMER(execve, path, argv, WITH_ADDED(environ));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return WITHOUT_TIMER(execvpe, file, argv, WITH_ADDED(envp));
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return WITHOUT_TIMER(execvpe, file, argv, WITH_ADDED(environ));
}

EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	return WITHOUT_TIMER(execveat, dirfd, path, argv, WITH_ADDED(envp), flags);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return WITHOUT_TIMER(fexecve, fd, argv, WITH_ADDED(envp));
}

/* Return the number of arguments from @arg on, including the final NULL. */
static size_t count(const char *arg, va_list args)
{
	size_t nr = 1;

	for (; arg; arg = va_arg(args, const char *))
		nr++;
	return nr;
}

static void copy_args(const char **argv, const char *arg, va_list args)
{
	for (; arg; arg = va_arg(args, const char *))
		*argv++ = arg;
	*argv = NULL;
}

/* Functions with an argument list call the real functions directly, not the replacements above. If
 * this library was loaded late, a call by name would reach the C library's function. */

/* Copy an argument list to a vector. The vector is on the stack, as in the C library, because a
 * child of vfork() must not allocate memory. */
#define VECTOR(argv, args, first)				\
	va_start(args, first);					\
	argv = __builtin_alloca(count(first, args) * sizeof(*argv));	\
	va_end(args);						\
	va_start(args, first);					\
	copy_args(argv, first, args)

EXPORT int execl(const char *path, const char *arg, ...)
{
	const char **argv;
	va_list args;

	VECTOR(argv, args, arg);
	va_end(args);
	return WITHOUT_TIMER(execve, path, (char *const *)argv, WITH_ADDED(environ));
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	const char **argv;
	va_list args;

	VECTOR(argv, args, arg);
	va_end(args);
	return WITHOUT_TIMER(execvpe, file, (char *const *)argv, WITH_ADDED(environ));
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	const char **argv;
	va_list args;

	VECTOR(argv, args, arg);
	/* The environment follows the NULL argument. Walk the list again: some ABIs pass va_list by
	 * value, so copy_args() does not advance it here. */
	va_end(args);
	va_start(args, arg);
	for (const char *at = arg; at; )
		at = va_arg(args, const char *);
	envp = va_arg(args, char *const *);
	va_end(args);
	return WITHOUT_TIMER(execve, path, (char *const *)argv, WITH_ADDED(envp));
}

#define EXPORT	__attribute__((visibility("default")))

static void __attribute__((noreturn)) exit_process(int status)
{
	hooks()->exits();
	for (;;)
		arch_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

EXPORT void _exit(int status)
{
	exit_process(status);
}

EXPORT void _Exit(int status)
{
	exit_process(status);
}
