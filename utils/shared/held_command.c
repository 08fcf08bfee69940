// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held_command.c -- forks a command and holds it until everything is ready to watch it.
 */
#include "config.h"
#include "utils/shared/held_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PATH "/bin:/usr/bin"

/* -ENOENT: nothing there; -EACCES: no program, or none that we may run. */
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

int held_command_find(char **ret, const char *name, struct op_reason *error)
{
	bool path = strchr(name, '/');
	int err = path ? check_file(name) : find_in_path(ret, name);

	if (path && !err) {
		*ret = strdup(name);
		return *ret ? 0 : -ENOMEM;
	}
	if (err == -ENOENT)
		return path ? op_fail(error, err, "There is no program %s.", name) :
			      op_fail(error, err, "There is no command \"%s\" in PATH (a program here would "
				      "be ./%s).", name, name);
	if (err)
		return op_fail(error, err, "%s is not a program that may be run here.", name);
	return 0;
}

/* In the child. */
static void __attribute__((noreturn)) wait_and_exec(int hold_fd, int failed_fd, char **argv, const struct op_caller *caller)
{
	char go;
	int err;

	if (read(hold_fd, &go, 1) != 1)
		_exit(EXIT_FAILURE);
	op_process_give_back(caller);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed_fd, &err, sizeof(err)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

int held_command_fork(struct held_command *ret, char **argv, const struct op_caller *caller, struct op_reason *error)
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
	*ret = (struct held_command){ pid, hold[1], failed[0], op_pidfd_open(pid) };
	return 0;

close_failed:
	close(failed[0]);
	close(failed[1]);
close_hold:
	close(hold[0]);
	close(hold[1]);
fail:
	return op_fail(error, err, "Cannot start %s: %s.", argv[0], strerror(-err));
}

int held_command_go(struct held_command *c, const char *name, struct op_reason *error)
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
		return op_fail(error, -err, "Cannot run %s: %s.", name, strerror(err));
	return 0;
}

static void forget(struct held_command *c)
{
	close(c->failed_fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
	c->pid = 0;
}

bool held_command_ended(struct held_command *c, int *status)
{
	const pid_t pid = c->pid ? waitpid(c->pid, status, WNOHANG) : 0;

	if (!pid || (pid < 0 && errno == EINTR))
		return false;
	if (pid < 0)
		*status = W_EXITCODE(CTL_EXIT_FAILED, 0);
	forget(c);
	return true;
}

void held_command_release(struct held_command *c)
{
	if (!c->pid)
		return;
	if (c->hold_fd >= 0) {
		close(c->hold_fd);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	forget(c);
}
