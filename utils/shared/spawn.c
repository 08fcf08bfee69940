// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spawn.c -- runs a program and waits for its end.
 */
#include "config.h"
#include "utils/shared/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/beside.h"

char *ctl_program_find(const char *name)
{
	static const char *const trees[] = { "../../daemon", "../../pp", NULL };
	const struct op_beside places[] = {
		{ BINDIR, SBINDIR, trees },
		{ BINDIR, BINDIR, trees },
	};
	char *path = NULL;

	for (size_t i = 0; !path && i < sizeof(places) / sizeof(places[0]); i++) {
		path = op_beside_find(&places[i], name);
		if (path && access(path, X_OK)) {
			free(path);
			path = NULL;
		}
	}
	if (!path && asprintf(&path, "%s/%s", SBINDIR, name) < 0)
		return NULL;
	return path;
}

#define OUTPUT_MAX 8192

/* Read @fd to the end of the file, and return the first OUTPUT_MAX - 1 bytes as a malloc'd
 * string. */
static char *collect(int fd)
{
	char *text = malloc(OUTPUT_MAX), waste[512];
	size_t len = 0;
	ssize_t n;

	for (;;) {
		bool full = !text || len == OUTPUT_MAX - 1;

		n = full ? read(fd, waste, sizeof(waste)) :
			   read(fd, text + len, OUTPUT_MAX - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (!full)
			len += (size_t)n;
	}
	if (text)
		text[len] = '\0';
	return text;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Environment variables that are passed to child processes: the directory of event tables, and the
 * location of the user's cache. */
static const char *const passed_on[] = { "OPROFILE_EVENTS_DIR=", "OPROFILE_CACHE_DIR=", "XDG_CACHE_HOME=", "HOME=" };
#define NR_PASSED_ON	(sizeof(passed_on) / sizeof(passed_on[0]))

/* Append the variable @name, which ends with '=', to @env if it is set. Return the end of @env. */
static char **append(char **env, const char *name)
{
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, name, strlen(name))) {
			*env++ = *e;
			break;
		}
	return env;
}

/* Append the variables that child processes need, with their present values, to @env. Pass the
 * user's time zone only to reports: the daemon uses the machine's time zone. */
static void pass_on(char **env, bool is_report)
{
	for (size_t i = 0; i < NR_PASSED_ON; i++)
		env = append(env, passed_on[i]);
	if (is_report)
		append(env, "TZ=");
}

/* Restore the default actions of the signals that op_process_prepare() ignores, because other
 * programs would inherit them as ignored. */
static void default_signals(posix_spawnattr_t *attr)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	posix_spawnattr_setsigdefault(attr, &set);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const char *program, char *const argv[], char **ret_output, bool is_report)
{
	char *env[2 + NR_PASSED_ON + 2] = {
		(char *)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		(char *)"LC_ALL=C",
	};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int pipe_fds[2] = { -1, -1 };
	char *output = NULL;
	int err, status;
	pid_t pid;

	pass_on(env + 2, is_report);
	if (ret_output && pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	err = -posix_spawn_file_actions_init(&actions);
	if (err)
		goto close_pipe;
	posix_spawnattr_init(&attr);
	default_signals(&attr);
	err = -posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err && ret_output) {
		err = -posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
		if (!err)
			err = -posix_spawn_file_actions_adddup2(&actions, pipe_fds[1],
								STDERR_FILENO);
	}
	if (!err)
		err = -posix_spawn(&pid, program, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		goto close_pipe;

	if (ret_output) {
		close(pipe_fds[1]);
		pipe_fds[1] = -1;
		output = collect(pipe_fds[0]);
		close(pipe_fds[0]);
	}
	status = wait_for(pid);
	if (ret_output && status >= 0)
		*ret_output = output;
	else
		free(output);
	return status;

close_pipe:
	if (ret_output) {
		close(pipe_fds[0]);
		close(pipe_fds[1]);
	}
	return err;
}

int ctl_spawn(char *const argv[], char **ret_output)
{
	return spawn(argv[0], argv, ret_output, false);
}

int ctl_spawn_as(const char *program, char *const argv[])
{
	return spawn(program, argv, NULL, false);
}

int ctl_spawn_report(char *const argv[])
{
	return spawn(argv[0], argv, NULL, true);
}
