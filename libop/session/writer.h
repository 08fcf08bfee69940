/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h -- the process that adds samples to a session, as the session's totals name it: a mark that is there from the
 * start of sampling until the last totals are written.
 */
#ifndef OP_SESSION_WRITER_H
#define OP_SESSION_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed: nobody, the totals are the last ones. */
struct op_session_writer {
	pid_t pid;
	uint64_t start;		/* when the process began, in the kernel's ticks */
	uint64_t namespace;	/* of the pid: inode number */
	uint64_t boot;		/* a hash of the kernel's boot id */
};

#define OP_SESSION_WRITER_TEXT	96	/* bytes that the longest text needs */

/* Describe this process. What the kernel does not say stays 0. */
void op_session_writer_self(struct op_session_writer *ret);

/* Return false only when the process is known to have ended; one of another pid namespace may live. */
bool op_session_writer_lives(const struct op_session_writer *writer);

/* "PID START NAMESPACE BOOT" */
const char *op_session_writer_print(char text[OP_SESSION_WRITER_TEXT], const struct op_session_writer *writer);
/* Return whether @text is a writer. */
bool op_session_writer_parse(struct op_session_writer *ret, const char *text);

#endif
