// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * two_ends.c -- writing of two texts to two files at once, for a reader that alternates between
 * them.
 *
 * A writable pipe accepts PIPE_BUF bytes without blocking. The descriptors are not made
 * non-blocking, because other processes may share a terminal.
 */
#include "config.h"
#include "pp/pct/two_ends.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

static int put(struct pp_text_to *end)
{
	ssize_t done = write(end->fd, end->text, end->len < PIPE_BUF ? end->len : PIPE_BUF);

	if (done < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	end->text += done;
	end->len -= done;
	return 0;
}

int pp_write_both(struct pp_text_to ends[2])
{
	int err = 0;

	while (!err && (ends[0].fd >= 0 || ends[1].fd >= 0)) {
		struct pollfd fds[2] = {{.fd = ends[0].fd, .events = POLLOUT},
					{.fd = ends[1].fd, .events = POLLOUT}};

		for (int i = 0; i < 2; i++) {
			if (ends[i].fd >= 0 && !ends[i].len) {
				if (close(ends[i].fd))
					err = -errno;
				ends[i].fd = fds[i].fd = -1;
			}
		}
		if (err || (fds[0].fd < 0 && fds[1].fd < 0))
			break;
		if (poll(fds, 2, -1) < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		for (int i = 0; i < 2 && !err; i++) {
			if (fds[i].revents)
				err = put(&ends[i]);
		}
	}
	for (int i = 0; i < 2; i++) {
		if (ends[i].fd >= 0)
			close(ends[i].fd);
	}
	return err;
}
