/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h -- attributes that a process inherits from its caller: signals, standard descriptors,
 * umask, and the limit of the stack's size.
 *
 * A caller may have ignored SIGCHLD, closed stdin or limited the stack. So each main() calls
 * op_process_prepare() first, and all later code runs under the same conditions. Before the program
 * executes a command, it restores the caller's attributes.
 */
#ifndef OP_BASE_PROCESS_H
#define OP_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { OP_PROCESS_SIGNALS = 3, OP_PROCESS_FDS = 3 };

/* Attributes of the caller that op_process_prepare() has changed. */
struct op_caller {
	struct sigaction actions[OP_PROCESS_SIGNALS];
	sigset_t blocked;
	struct rlimit stack;
	mode_t mask;
	/* standard descriptors that the caller had closed; this process has opened /dev/null
	 * instead */
	bool closed[OP_PROCESS_FDS];
};

enum op_process_kind {
	/* a program that prints: SIGPIPE ends it when it writes to a closed pipe */
	OP_PROCESS_PRINTS,
	/* a program that must clean up before it exits: a write to a closed pipe fails with
	 * EPIPE */
	OP_PROCESS_WORKS,
};

/*
 * Set the attributes of this process to the values that the code of all programs expects. SIGCHLD
 * has its default action, so that waitpid(2) finds children; SIGBUS and SIGCHLD are not blocked; a
 * write beyond RLIMIT_FSIZE fails with EFBIG. Descriptors 0 to 2 are open. The umask does not clear
 * the owner's bits. The stack may grow to 8 MB, or to the hard limit if that is lower and cannot be
 * raised. An attribute that cannot be changed is left as it is.
 *
 * An exit() with status 0 becomes 1, with a message, if the output cannot be written. @ret:
 * receives the caller's attributes; may be NULL.
 */
void op_process_prepare(struct op_caller *ret, enum op_process_kind kind);

/* Restore the caller's attributes, in a child before its exec. Async-signal-safe. */
void op_process_restore(const struct op_caller *caller);

/* Return a descriptor that becomes readable when the process @pid has ended, or a negative
 * errno. */
int op_pidfd_open(pid_t pid);

/* size of a buffer for the text of op_process_end() */
enum { OP_PROCESS_END = 100 };

/* Describe the wait(2) status @status in @buf: "was killed by signal 9 (Killed)", "exited with
 * status 1". */
const char *op_process_end(char *buf, size_t size, int status);

#endif
