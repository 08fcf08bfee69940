/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_command.h -- a command whose process is there before it begins, so that all of it can be sampled.
 */
#ifndef UTILS_SHARED_HELD_COMMAND_H
#define UTILS_SHARED_HELD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/process.h"
#include "libop/base/reason.h"

/* Exit statuses as env(1) and others have them: our own failures cannot be taken for the command's. */
#define CTL_EXIT_FAILED		125
#define CTL_EXIT_NO_EXEC	126
#define CTL_EXIT_NOT_FOUND	127

struct held_command {
	pid_t pid;	/* 0: none */
	int hold_fd;	/* writing a byte lets it go; closing it makes it exit */
	int failed_fd;	/* says the errno of a failed exec; end of file once it runs */
	int pidfd;	/* readable once the command has ended; -1: not available, or the command was waited for */
};

/*
 * *@ret: the program's path, malloc'd, if it is there and may be run; else -ENOENT, -EACCES with text. Looks into PATH as
 * exec does.
 */
int held_command_find(char **ret, const char *name, struct op_reason *error);

/* Fork a child that waits, then restores the @caller's signals, descriptors, umask and stack limit,
 * and runs argv. */
int held_command_fork(struct held_command *ret, char **argv, const struct op_caller *caller, struct op_reason *error);

/* Lets it run argv. Negative errno with text when the kernel does not take the program. */
int held_command_go(struct held_command *c, const char *name, struct op_reason *error);

/*
 * Return whether the command has ended, without waiting. If so, set c->pid to 0, and *@status to
 * its wait(2) status or, if that is lost, to CTL_EXIT_FAILED. Callers poll ->pidfd in addition to
 * SIGCHLD.
 */
bool held_command_ended(struct held_command *c, int *status);

/* One that was not let go ends; one that runs is left alone. */
void held_command_release(struct held_command *c);

#endif
