// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run_command.c -- runs a command: forks, holds the child before its exec, forwards signals, and
 * waits for the exit status.
 */
#include "config.h"
#include "utils/shared/run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clean.h"

#define DEFAULT_PATH "/bin:/usr/bin"

/* Return 0 if this process may execute the file at @path, -ENOENT if the file does not exist, else
 * -EACCES. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

static int find_in_path(char **ret, const char *name)
{
	const char *dirs = getenv("PATH"), *dir = dirs ? dirs : DEFAULT_PATH;
	int found = -ENOENT;

	for (;;) {
		size_t len = strcspn(dir, ":");
		char *path;
		int err;

		if (asprintf(&path, "%.*s/%s", len ? (int)len : 1, len ? dir : ".", name) < 0)
			return -ENOMEM;
		err = check_file(path);
		if (!err) {
			*ret = path;
			return 0;
		}
		free(path);
		if (err == -EACCES)
			found = err;
		if (!dir[len])
			return found;
		dir += len + 1;
	}
}

int run_command_find(char **ret, const char *name, struct op_reason *error)
{
	bool path = strchr(name, '/');
	int err = path ? check_file(name) : find_in_path(ret, name);

	if (path && !err) {
		*ret = strdup(name);
		return *ret ? 0 : -ENOMEM;
	}
	if (err == -ENOENT)
		return path ? op_fail(error, err, "cannot run %s: no such program", name) :
			      op_fail(error, err, "cannot run %s: no such command in PATH "
						  "(a program in this directory is ./%s)", name, name);
	if (err)
		return op_fail(error, err, "cannot run %s: it is not a program, or you may not run it", name);
	return 0;
}

int run_command_error_status(int err)
{
	switch (err) {
	case -ENOENT:
		return CTL_EXIT_NOT_FOUND;
	case -ENOMEM:
		return CTL_EXIT_FAILED;
	default:
		return CTL_EXIT_NO_EXEC;
	}
}

/* In the child: wait for a byte on the pipe, then execute the command. */
static void __attribute__((noreturn))
wait_and_exec(int hold_fd, int failed_fd, char **argv, const struct op_caller *caller)
{
	char go;
	int err;

	if (read(hold_fd, &go, 1) != 1)
		_exit(EXIT_FAILURE);
	op_process_restore(caller);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed_fd, &err, sizeof(err)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

int run_command_fork(struct run_command *command, char **argv, const struct op_caller *caller,
		     struct op_reason *error)
{
	int hold[2], failed[2], err;
	pid_t pid;

	if (pipe2(hold, O_CLOEXEC) < 0) {
		err = -errno;
		goto fail;
	}
	if (pipe2(failed, O_CLOEXEC) < 0) {
		err = -errno;
		goto close_hold;
	}
	pid = fork();
	if (pid < 0) {
		err = -errno;
		goto close_failed;
	}
	if (pid == 0) {
		close(hold[1]);
		wait_and_exec(hold[0], failed[1], argv, caller);
	}
	close(hold[0]);
	close(failed[1]);
	command->pid = pid;
	command->hold_fd = hold[1];
	command->failed_fd = failed[0];
	command->pidfd = op_pidfd_open(pid);
	return 0;

close_failed:
	close(failed[0]);
	close(failed[1]);
close_hold:
	close(hold[0]);
	close(hold[1]);
fail:
	return op_fail(error, err, "cannot start %s: %s", argv[0], strerror(-err));
}

int run_command_exec(struct run_command *c, const char *name, struct op_reason *error)
{
	int err = 0;
	ssize_t n = write(c->hold_fd, "1", 1);

	close(c->hold_fd);
	c->hold_fd = -1;
	do {
		if (n == 1)
			n = read(c->failed_fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	if (n == sizeof(err))
		return op_fail(error, -err, "cannot run %s: %s", name, strerror(err));
	return 0;
}

int run_command_open_signals(const int *more, struct op_reason *error)
{
	struct sigaction hangup;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	while (more && *more)
		sigaddset(&set, *more++);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? op_fail(error, -errno, "cannot receive signals for the command "
					       "(signalfd): %s", strerror(errno)) : fd;
}

void run_command_kill(struct run_command *c, int sig)
{
	c->sent = sig;
	kill(c->pid, sig);
}

/* Forward pending signals to the command, if c->may_forward() accepts them. */
static void forward_signals(struct run_command *c)
{
	struct signalfd_siginfo info;

	while (read(c->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD || (c->may_forward && !c->may_forward(c->arg, &info)))
			continue;
		/* Do not forward a signal from the terminal, such as Ctrl-C: the terminal has also
		 * sent it to the command. */
		if (c->pid && info.ssi_code != SI_KERNEL)
			run_command_kill(c, (int)info.ssi_signo);
	}
}

int run_command_poll(struct run_command *c, struct pollfd *fds, size_t nr, int timeout_ms)
{
	int n;

	fds[nr] = (struct pollfd){ .fd = c->signal_fd, .events = POLLIN };
	fds[nr + 1] = (struct pollfd){ .fd = c->pid ? c->pidfd : -1, .events = POLLIN };
	n = poll(fds, nr + RUN_COMMAND_FDS, timeout_ms);
	if (n > 0)
		forward_signals(c);
	return n < 0 ? -errno : n;
}

static void close_fds(struct run_command *c)
{
	close(c->failed_fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
	c->pid = 0;
}

bool run_command_ended(struct run_command *c, int *status)
{
	const pid_t pid = c->pid ? waitpid(c->pid, status, WNOHANG) : 0;

	if (!pid || (pid < 0 && errno == EINTR))
		return false;
	if (pid < 0)
		*status = W_EXITCODE(CTL_EXIT_FAILED, 0);
	close_fds(c);
	return true;
}

int run_command_wait(struct run_command *c, int *status)
{
	struct pollfd fds[RUN_COMMAND_FDS];

	while (!run_command_ended(c, status)) {
		int n = run_command_poll(c, fds, 0, -1);

		if (n < 0 && n != -EINTR)
			return n;
	}
	return 0;
}

int run_command_exit_status(const char *program, const char *command, int status, int sent)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!sig)
		return WEXITSTATUS(status);
	if (sig != SIGINT && sig != SIGPIPE && sig != sent)
		op_clean_printf(stderr, "%s: %s was killed by signal %d (%s)\n", program, command, sig, strsignal(sig));
	return 128 + sig;
}

void run_command_release(struct run_command *c)
{
	if (!c->pid)
		return;
	if (c->hold_fd >= 0) {
		close(c->hold_fd);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close_fds(c);
}
