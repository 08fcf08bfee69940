/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h -- the parts of a process that its caller chooses: signals, standard descriptors, umask, size of the stack.
 *
 * A caller may have ignored SIGCHLD, closed stdin or limited the stack. Every main() calls op_process_prepare() first, so that
 * all code behind it meets the same process; a command that the program starts gets its caller's back.
 */
#ifndef OP_BASE_PROCESS_H
#define OP_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { OP_PROCESS_SIGNALS = 3, OP_PROCESS_FDS = 3 };

/* What op_process_prepare() found and changed. */
struct op_caller {
	struct sigaction actions[OP_PROCESS_SIGNALS];
	sigset_t blocked;
	struct rlimit stack;
	mode_t mask;
	bool closed[OP_PROCESS_FDS];	/* filled with /dev/null */
};

enum op_process_kind {
	OP_PROCESS_PRINTS,	/* ends by SIGPIPE when nobody reads its output any more */
	OP_PROCESS_WORKS,	/* has something to put in order at its end: writing to a closed pipe fails with EPIPE */
};

/*
 * SIGCHLD has its default action, so that waitpid(2) finds children; SIGBUS and SIGCHLD are not blocked; a write beyond
 * RLIMIT_FSIZE fails with EFBIG. Descriptors 0 to 2 are open. The umask leaves the owner's bits. The stack may grow to 8 MB, or
 * to the hard limit where that cannot be raised. @ret may be NULL. What cannot be changed stays as it was.
 */
void op_process_prepare(struct op_caller *ret, enum op_process_kind kind);

/* Undo op_process_prepare(), in a child before its exec. Async-signal-safe. */
void op_process_give_back(const struct op_caller *caller);

/* A descriptor that is readable once the process @pid has ended, or negative errno. */
int op_pidfd_open(pid_t pid);

/* Large enough for op_process_end(). */
enum { OP_PROCESS_END = 100 };

/* Write to @buf how a process ended whose wait(2) status is @status: "was killed by signal 9 (Killed)", "exited with status 1". */
const char *op_process_end(char *buf, size_t size, int status);

#endif
