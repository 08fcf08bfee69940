/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_command.h -- running a command. The child is held before its exec, so that the whole command
 * can be profiled. Call in this order: run_command_find(), _open_signals(), _fork(), _go(), then
 * _poll() and _ended() in a loop (or _wait()), _release().
 */
#ifndef UTILS_SHARED_RUN_COMMAND_H
#define UTILS_SHARED_RUN_COMMAND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "libop/base/process.h"
#include "libop/base/reason.h"

/* Exit statuses if the command could not be run, as in env(1). A command rarely returns one of
 * these. */
#define CTL_EXIT_FAILED		125
#define CTL_EXIT_NO_EXEC	126
#define CTL_EXIT_NOT_FOUND	127

/* number of descriptors that run_command_poll() appends to the caller's array */
#define RUN_COMMAND_FDS		2

struct run_command {
	/* The caller sets the members up to .arg. */
	int signal_fd;	/* descriptor that run_command_open_signals() returned */
	/* Return whether to forward the signal @info to the command. Called for each signal except
	 * SIGCHLD. NULL: forward all. Signals from the terminal are never forwarded. */
	bool (*may_forward)(void *arg, const struct signalfd_siginfo *info);
	void *arg;

	pid_t pid;	/* process id of the command; 0: no command is running */
	/* pipe to the child: a byte starts the command; closing the pipe makes the child exit */
	int hold_fd;
	/* pipe from the child: the errno of a failed exec, or end of file after a successful
	 * exec */
	int failed_fd;
	/* pidfd of the command, readable after its end; -1: not available, or already waited for */
	int pidfd;
	int sent;	/* last signal that run_command_kill() sent; 0: none */
};

/*
 * Find a program in PATH like execvp(), and store its malloc'd path in *@ret. Return 0, or -ENOENT
 * or -EACCES with a message in @error.
 */
int run_command_find(char **ret, const char *name, struct op_reason *error);

/* Return the exit status for the error of run_command_find() or run_command_exec(). */
int run_command_error_status(int err);

/*
 * Block SIGINT, SIGTERM, SIGCHLD, the signals @more (NULL, or terminated by 0), and SIGHUP unless
 * the caller ignores it, as with nohup(1). Return a non-blocking signalfd(2) for the blocked
 * signals, or a negative errno with a message in @error.
 */
int run_command_open_signals(const int *more, struct op_reason *error);

/*
 * Fork a child that waits for run_command_exec(). The child then restores the @caller's signals,
 * descriptors, umask and stack limit, and executes argv.
 */
int run_command_fork(struct run_command *command, char **argv, const struct op_caller *caller,
		     struct op_reason *error);

/* Make the child execute argv. Return 0, or a negative errno with a message in @error if exec
 * fails. */
int run_command_exec(struct run_command *c, const char *name, struct op_reason *error);

/*
 * Wait for a signal, for the end of the command, or for one of the @nr descriptors in @fds, an
 * array with RUN_COMMAND_FDS additional elements. Forward the signals. Return poll(2)'s result, or
 * a negative errno.
 */
int run_command_poll(struct run_command *c, struct pollfd *fds, size_t nr, int timeout_ms);

/* Send the signal @sig to the command. */
void run_command_kill(struct run_command *c, int sig);

/*
 * Return whether the command has ended, without waiting. If so, set c->pid to 0, and *@status to
 * its wait(2) status, or to CTL_EXIT_FAILED if the status is lost.
 */
bool run_command_ended(struct run_command *c, int *status);

/* Forward signals until the command ends. Return 0 with the command's wait(2) status in *@status,
 * or a negative errno. */
int run_command_wait(struct run_command *c, int *status);

/*
 * Convert the wait(2) status of a command to an exit status: 128 + N if signal N killed it. Then
 * also print "PROGRAM: COMMAND was killed by signal 11 (Segmentation fault)", except for SIGINT and
 * SIGPIPE, which often end commands, and for @sent, the signal that PROGRAM itself sent to the
 * command (0: none).
 */
int run_command_exit_status(const char *program, const char *command, int status, int sent);

/* End a command that is still held before exec, and close the descriptors. A running command
 * continues. */
void run_command_release(struct run_command *c);

#endif
