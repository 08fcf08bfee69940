/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder_message.h -- messages between the daemon (finder.c) and its worker process, which opens
 * files (finder_process.c), over a SOCK_SEQPACKET socket. Both processes run the same program, so
 * structs are sent as they are in memory.
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
	OPD_FINDER_FIND,		/* call opd_identify() */
	OPD_FINDER_OPEN,		/* call opd_open_in_root() */
	OPD_FINDER_EXE,			/* call opd_identify_exe() */
	/* copy the file /proc/TGID/maps to the descriptor in the message */
	OPD_FINDER_MAPS,
	/* call opd_copy_found() from the first descriptor of the message to the second */
	OPD_FINDER_COPY,
	/* copy .size bytes at address .dev of the memory of thread .tgid to the descriptor in the
	 * message */
	OPD_FINDER_MEMORY,
	/* call opd_open_in_memory() for the descriptor of the message */
	OPD_FINDER_OPEN_IN_MEMORY,
	/* open the file of the first descriptor in the message; send the new descriptor, with the
	 * third and all further descriptors, through the second descriptor, a socket
	 * (opd_finder_hand_over()) */
	OPD_FINDER_HAND_OVER,
};

struct opd_finder_request {
	enum opd_finder_what what;
	/* for OPD_FINDER_HAND_OVER: the byte to send with the descriptors */
	char kind;
	pid_t tgid;
	uint64_t dev, ino;
	/* for OPD_FINDER_COPY: file offset of the first byte to copy */
	off_t at;
	size_t size;			/* number of bytes to copy */
	/* path of the file; the bytes after its NUL are not sent */
	char path[OPD_FINDER_PATH];
};

/* An answer of a worker. A new worker first sends a struct opd_finder_answer to report its pid. */
struct opd_finder_answer {
	int result;
	pid_t worker;
	/* identity of the file that was found; its descriptor is sent with the message. For
	 * OPD_FINDER_OPEN_IN_MEMORY, only the descriptor is valid. */
	struct opd_identity identity;
	uint64_t dev, ino;
	struct opd_copied copied;
};

/* Send @len bytes and @nr descriptors, which the caller keeps. Return 0 or a negative errno. */
int opd_finder_send(int socket, const void *data, size_t len, const int *fds, size_t nr);

/* Receive a message of at most @size bytes. Return its length, 0 if the peer has closed the
 * socket, or a negative errno. *@nr descriptors are stored in @fds; the caller owns them. */
ssize_t opd_finder_receive(int socket, void *data, size_t size, int fds[OPD_FINDER_FDS],
			   size_t *nr);

/*
 * Receive a worker's answer. @most: maximum number of bytes that the worker was asked to copy. The
 * function checks that all numbers are in their valid ranges. The data may still be false, because
 * the worker has read untrusted files and may be compromised. The caller owns the descriptor in the
 * answer, which is -1 if the answer has none. Return 0, -EPIPE if the worker has exited, or
 * -EBADMSG for an invalid answer.
 */
int opd_finder_receive_answer(int socket, struct opd_finder_answer *ret, size_t most);

/* Run the keeper process, which starts workers on requests from @socket. The function does not
 * return. @proc_dir: "/proc". */
void opd_finder_process(int socket, const char *proc_dir) __attribute__((noreturn));

#endif
