/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h -- the mark in a session: it identifies the process that adds samples. The session's
 * file of totals contains the mark from the start of sampling until the final totals are written.
 */
#ifndef OP_SESSION_WRITER_H
#define OP_SESSION_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The process that writes a session. All zeros: no process writes, so the totals are final. */
struct op_session_writer {
	pid_t pid;
	uint64_t start;		/* start time of the process, in the kernel's clock ticks */
	uint64_t namespace;	/* inode number of the process's pid namespace */
	uint64_t boot;		/* hash of the kernel's boot id */
};

/* size of a buffer for the text of op_session_writer_print() */
#define OP_SESSION_WRITER_TEXT	96

/* Return whether the process @pid exists and is not a zombie. */
bool op_pid_lives(pid_t pid);

/* Set *@ret to the mark of the calling process. Members that the kernel does not report stay 0. */
void op_session_writer_self(struct op_session_writer *ret);

/* Return false if the process that wrote the session has certainly ended. A process in another pid
 * namespace counts as alive. */
bool op_session_writer_lives(const struct op_session_writer *writer);

/* Print "PID START NAMESPACE BOOT" to @text and return @text. */
const char *op_session_writer_print(char text[OP_SESSION_WRITER_TEXT],
				    const struct op_session_writer *writer);
/* Parse @text. Return false if it is not the text of a mark. */
bool op_session_writer_parse(struct op_session_writer *ret, const char *text);

#endif
