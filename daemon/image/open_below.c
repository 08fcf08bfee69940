// SPDX-License-Identifier: GPL-2.0-or-later
/* open_below.c -- opens a file below a directory, component by component. */
#include "config.h"
#include "daemon/image/open_below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t opd_mount_of(int fd)
{
#ifdef STATX_MNT_ID
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) == 0 &&
	    st.stx_mask & STATX_MNT_ID)
		return st.stx_mnt_id;
#else
	(void)fd;
#endif
	return 0;
}

/* Open the first @len characters of @path, which are one component, below @dir. */
static int open_component(int dir, const char *path, size_t len, bool is_last)
{
	char name[NAME_MAX + 1];
	int fd;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, path, len);
	name[len] = '\0';
	if (!strcmp(name, ".."))
		return -ELOOP;
	fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (is_last ? 0 : O_DIRECTORY));
	return fd < 0 ? -errno : fd;
}

int opd_open_below(int dir, const char *path, bool same_mount)
{
	const uint64_t mount = same_mount ? opd_mount_of(dir) : 0;
	int fd = dir;

	if (same_mount && !mount)
		return -EOPNOTSUPP;
	for (path += strspn(path, "/"); *path || fd == dir;) {
		const size_t len = strcspn(path, "/");
		const char *next = path + len + strspn(path + len, "/");
		const int component = len ? open_component(fd, path, len, !*next) : -ENOENT;

		if (fd != dir)
			close(fd);
		if (component < 0)
			return component;
		fd = component;
		if (same_mount && opd_mount_of(fd) != mount) {
			close(fd);
			return -EXDEV;
		}
		path = next;
	}
	return fd;
}
