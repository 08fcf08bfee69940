/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder_message.h -- messages between the daemon (finder.c) and the process that opens files for
 * it (finder_process.c), over a socket that keeps message boundaries. Both processes run the same
 * program, so structs are sent as they are.
 */
#ifndef OPD_FINDER_MESSAGE_H
#define OPD_FINDER_MESSAGE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/finder.h"
#include "daemon/image/identify.h"

#define OPD_FINDER_FDS	5		/* maximum number of descriptors in one message */
#define OPD_FINDER_PATH	(65536 + PATH_MAX)

enum opd_finder_what {
	OPD_FINDER_FIND,		/* the worker must call opd_identify() */
	OPD_FINDER_OPEN,		/* the worker must call opd_open_in_root() */
	OPD_FINDER_EXE,			/* the worker must call opd_identify_exe() */
	/* the worker must copy /proc/TGID/maps to the descriptor that was sent */
	OPD_FINDER_MAPS,
	/* the worker must call opd_copy_found() to copy from the first descriptor to the second */
	OPD_FINDER_COPY,
	/* the worker must copy .size bytes of the memory of thread .tgid at the address .dev to the
	 * descriptor */
	OPD_FINDER_MEMORY,
	/* the worker must call opd_open_in_memory() for the descriptor that was sent */
	OPD_FINDER_OPEN_IN_MEMORY,
	/* the worker must call opd_finder_hand_over() to open the first descriptor's file and to
	 * send it through the second descriptor, a socket, together with further descriptors */
	OPD_FINDER_HAND_OVER,
};

struct opd_finder_request {
	enum opd_finder_what what;
	/* the byte to send with the descriptors (only for OPD_FINDER_HAND_OVER) */
	char kind;
	pid_t tgid;
	uint64_t dev, ino;
	/* offset in the file at which the copy begins (only for OPD_FINDER_COPY) */
	off_t at;
	size_t size;			/* number of bytes of the file to copy */
	/* path of the file; a message contains only the bytes up to the terminating zero */
	char path[OPD_FINDER_PATH];
};

/* An answer of a worker. The worker's first message has this form too: it does not answer a
 * request, and has the worker's pid. */
struct opd_finder_answer {
	int result;
	pid_t worker;
	/* Data on the file that was found; its descriptor is sent with the message. In the answer
	 * to OPD_FINDER_OPEN_IN_MEMORY, only the descriptor is valid. */
	struct opd_identity identity;
	uint64_t dev, ino;
	struct opd_copied copied;
};

/* Send a message of @len bytes with @nr descriptors, which the caller keeps. Return 0 or a negative
 * errno. */
int opd_finder_send(int socket, const void *data, size_t len, const int *fds, size_t nr);

/* Receive a message of at most @size bytes. Return its length, 0 if the peer has closed the socket,
 * or a negative errno. The caller owns the *@nr received descriptors in @fds. */
ssize_t opd_finder_receive(int socket, void *data, size_t size, int fds[OPD_FINDER_FDS],
			   size_t *nr);

/*
 * Receive a worker's answer. @most: limit of the bytes that the worker was asked to copy. The
 * worker has read files of untrusted users and may be under their control, so its data on files may
 * be false, but all numbers are checked to be in their ranges. The caller owns the descriptor in
 * the answer; -1: no descriptor. Return 0, -EPIPE if the worker has ended, or -EBADMSG for an
 * invalid answer.
 */
int opd_finder_receive_answer(int socket, struct opd_finder_answer *ret, size_t most);

/* Run the finder's process: serve the finder at the other end of @socket. Does not return.
 * @proc_dir: "/proc". */
void opd_finder_process(int socket, const char *proc_dir) __attribute__((noreturn));

#endif
