// SPDX-License-Identifier: GPL-2.0-or-later
/* process.c -- attributes of the process: setting them at the start of main(), and restoring the
 * caller's attributes for a command. */
#include "config.h"
#include "libop/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE	(8ul << 20)

static const int signals[OP_PROCESS_SIGNALS] = { SIGCHLD, SIGPIPE, SIGXFSZ };

/* Set the actions of signals. If the caller has ignored SIGPIPE, keep this: the caller expects an
 * error message, and not that a signal ends the program. */
static void prepare_signals(struct op_caller *c, enum op_process_kind kind)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN}, reset = {.sa_handler = SIG_DFL};
	sigset_t needed;

	for (size_t i = 0; i < OP_PROCESS_SIGNALS; i++)
		sigaction(signals[i], NULL, &c->actions[i]);
	sigaction(SIGCHLD, &reset, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	if (kind == OP_PROCESS_WORKS)
		sigaction(SIGPIPE, &ignore, NULL);
	sigemptyset(&needed);
	sigaddset(&needed, SIGCHLD);
	sigaddset(&needed, SIGBUS);
	sigprocmask(SIG_UNBLOCK, &needed, &c->blocked);
}

/* Open the standard descriptors that are closed. Otherwise a file that the program opens later
 * could become stdin, stdout or stderr. */
static void fill_standard_fds(struct op_caller *c)
{
	for (int fd = 0; fd < OP_PROCESS_FDS; fd++) {
		c->closed[fd] = fcntl(fd, F_GETFD) < 0;
		if (c->closed[fd])
			c->closed[fd] = open("/dev/null", O_RDWR) == fd;
	}
}

/* Raise the limit of the stack's size. The new limit is valid for the main thread at once, because
 * the kernel checks the limit whenever the stack grows. */
static void raise_stack(struct op_caller *c)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &c->stack) || c->stack.rlim_cur >= STACK_SIZE)
		return;
	limit = c->stack;
	limit.rlim_cur = STACK_SIZE;
	if (limit.rlim_max < STACK_SIZE)
		limit.rlim_max = STACK_SIZE;
	if (setrlimit(RLIMIT_STACK, &limit)) {
		limit.rlim_cur = limit.rlim_max = c->stack.rlim_max;
		setrlimit(RLIMIT_STACK, &limit);
	}
}

/* Called at exit() with status 0: write the buffered output. If that fails, report the failure and
 * exit with status 1. But do not report that the reader of a pipe has closed it. */
static void finish_output(int status, void *unused)
{
	(void)unused;
	if (status || !fflush(stdout) || errno == EPIPE)
		return;
	fprintf(stderr, "%s: cannot write the output: %s\n", program_invocation_short_name,
		strerror(errno));
	_exit(EXIT_FAILURE);
}

void op_process_prepare(struct op_caller *ret, enum op_process_kind kind)
{
	struct op_caller caller = { .stack = { RLIM_INFINITY, RLIM_INFINITY } };

	fill_standard_fds(&caller);
	prepare_signals(&caller, kind);
	caller.mask = umask(0);
	umask(caller.mask & (S_IRWXG | S_IRWXO));
	raise_stack(&caller);
	on_exit(finish_output, NULL);
	if (ret)
		*ret = caller;
}

void op_process_restore(const struct op_caller *caller)
{
	setrlimit(RLIMIT_STACK, &caller->stack);
	umask(caller->mask);
	for (int fd = 0; fd < OP_PROCESS_FDS; fd++)
		if (caller->closed[fd])
			close(fd);
	for (size_t i = 0; i < OP_PROCESS_SIGNALS; i++)
		sigaction(signals[i], &caller->actions[i], NULL);
	sigprocmask(SIG_SETMASK, &caller->blocked, NULL);
}

int op_pidfd_open(pid_t pid)
{
	const int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

const char *op_process_end(char *buf, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "exited with status %d", WEXITSTATUS(status));
	return buf;
}
