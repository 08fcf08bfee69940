// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notify.c -- reports of the daemon's state, as datagrams to the service manager's socket.
 */
#include "config.h"
#include "daemon/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void opd_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if ((len && path[0] != '/' && path[0] != '@') || len < 2 || len > sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')	/* an abstract socket address begins with a zero byte */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* An error is harmless: profiling works without a service manager. */
	sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}
