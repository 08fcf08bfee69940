/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder_message.h -- what the daemon (finder.c) and the process that looks for it (finder_process.c) say to each
 * other, over a socket of whole messages. Both are one program: structs go as they are.
 */
#ifndef OPD_FINDER_MESSAGE_H
#define OPD_FINDER_MESSAGE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/finder.h"
#include "daemon/image/identify.h"

#define OPD_FINDER_FDS	5		/* that come with one message, at most */
#define OPD_FINDER_PATH	(65536 + PATH_MAX)

enum opd_finder_what {
	OPD_FINDER_FIND,		/* opd_identify() */
	OPD_FINDER_OPEN,		/* opd_open_in_root() */
	OPD_FINDER_EXE,			/* opd_identify_exe() */
	OPD_FINDER_MAPS,		/* copies /proc/TGID/maps to the descriptor */
	OPD_FINDER_COPY,		/* opd_copy_found() of the first descriptor to the second */
	OPD_FINDER_MEMORY,		/* copies @size bytes of thread TGID's memory at @dev to the descriptor */
	OPD_FINDER_HAND_OVER,		/* opens the first descriptor, and sends that and the rest to the second */
};

struct opd_finder_request {
	enum opd_finder_what what;
	char kind;			/* what is handed over with the descriptors */
	pid_t tgid;
	uint64_t dev, ino;
	off_t at;			/* of a copy: from here, */
	size_t size;			/* so much */
	char path[OPD_FINDER_PATH];	/* only as much of it as is needed is sent */
};

/* A worker's first message is an answer to no request, with its pid. */
struct opd_finder_answer {
	int result;
	pid_t worker;
	struct opd_identity identity;	/* its descriptor comes beside */
	uint64_t dev, ino;
	struct opd_copied copied;
};

/* Sends @len bytes with @nr descriptors, which stay ours. 0 or negative errno. */
int opd_finder_send(int socket, const void *data, size_t len, const int *fds, size_t nr);

/*
 * Takes a message of at most @size bytes: its length, 0 at the end, or negative errno. The descriptors that came
 * with it are the caller's: *@nr of @fds.
 */
ssize_t opd_finder_receive(int socket, void *data, size_t size, int fds[OPD_FINDER_FDS], size_t *nr);

/*
 * The worker's answer; @most: how much it was to copy. It has looked at strangers' files, and may be in their hands: what it
 * says of files may be a lie, and nothing else. The descriptor in the answer is the caller's, -1 when there is none. 0;
 * -EPIPE: it has gone; -EBADMSG: that is no answer.
 */
int opd_finder_receive_answer(int socket, struct opd_finder_answer *ret, size_t most);

/* The process: serves the finder behind @socket, and does not return. @proc_dir: "/proc". */
void opd_finder_process(int socket, const char *proc_dir) __attribute__((noreturn));

#endif
