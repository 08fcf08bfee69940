// SPDX-License-Identifier: GPL-2.0-or-later
/* uevents.c -- uevents of the kernel about CPUs and kernel modules. */
#include "config.h"
#include "daemon/source/uevents.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP	1
#define MAX_MESSAGE	8192

int opd_uevents_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

unsigned int opd_uevent_kind(const char *message, size_t len)
{
	static const struct {
		const char *start;
		unsigned int kind;
	} kinds[] = {
		{ "online@/devices/system/cpu/", OPD_UEVENT_CPU },
		{ "offline@/devices/system/cpu/", OPD_UEVENT_CPU },
		{ "add@/module/", OPD_UEVENT_MODULE },
		{ "remove@/module/", OPD_UEVENT_MODULE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].start);

		if (len >= n && !memcmp(message, kinds[i].start, n))
			return kinds[i].kind;
	}
	return 0;
}

unsigned int opd_uevents_read(int fd)
{
	unsigned int kinds = 0;

	for (;;) {
		char message[MAX_MESSAGE];
		struct sockaddr_nl from = { 0 };
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(fd, message, sizeof(message), MSG_DONTWAIT,
				     (struct sockaddr *)&from, &size);

		if (n < 0 && errno == ENOBUFS)
			/* The socket has lost messages: assume that CPUs and modules have
			 * changed. */
			kinds |= OPD_UEVENT_CPU | OPD_UEVENT_MODULE;
		else if (n < 0 && errno != EINTR)
			return kinds;
		/* Ignore messages that other processes sent. */
		else if (n > 0 && from.nl_pid == 0)
			kinds |= opd_uevent_kind(message, (size_t)n);
	}
}
