// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memfd.c -- giving a process a copy of a file of opattach in a memfd, because the process cannot
 * see the file.
 */
#include "config.h"
#include "utils/opattach/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/dir.h"

/* Return whether the process's descriptor @place is a memfd that was just created: owned by the
 * process's user, empty, and without a name in a directory. A check of the path alone is not
 * enough, because a process in a mount namespace of its own can give any path to any file. */
static bool is_new(const struct attach *a, int place)
{
	struct stat st;

	return !fstat(place, &st) && S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size &&
	       st.st_uid == a->target.uid;
}

/* Find the process's new memfd named @name. Return an O_PATH descriptor of it, and the number of
 * the process's descriptor in *@number; or -1 if the process does not have such a memfd. */
static int find_new(const struct attach *a, const char *name, int *number)
{
	char link[256], wanted[256];
	struct dirent *entry;
	int found = -1;
	DIR *dir;

	snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", name);
	if (op_open_dir(a->target.proc, "fd", &dir))
		return -1;
	while (found < 0 && (entry = op_next_entry(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		link[len > 0 ? len : 0] = '\0';
		if (strcmp(link, wanted))
			continue;
		found = openat(dirfd(dir), entry->d_name, O_PATH | O_CLOEXEC);
		if (found >= 0 && !is_new(a, found)) {
			close(found);
			found = -1;
		}
		*number = atoi(entry->d_name);
	}
	closedir(dir);
	return found;
}

static int copy(const char *from, int place)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, err = 0;
	char path[64];
	struct stat st;
	off_t done = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	out = open(path, O_WRONLY | O_CLOEXEC);
	if (in < 0 || out < 0 || fstat(in, &st))
		err = -errno;
	while (!err && done < st.st_size) {
		ssize_t sent = sendfile(out, in, &done, st.st_size - done);

		if (sent <= 0)
			err = sent ? -errno : -EIO;
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return err;
}

int attach_give(struct attach *a, const char *path, struct attach_given *ret,
		struct op_reason *error)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const struct attach_call call = {
		.number = SYS_memfd_create,
		.args = {0, MFD_CLOEXEC},
		.is_offset = {true},
		.data = name,
		.len = strlen(name) + 1,
	};
	int place, err = attach_system_call(a, call, error);

	if (err)
		return err;
	place = find_new(a, name, &ret->fd);
	if (place < 0)
		return op_fail(error, -EACCES,
			       "the process is not permitted to have a file in memory");
	snprintf(ret->path, sizeof(ret->path), "/proc/self/fd/%d", ret->fd);
	err = copy(path, place);
	close(place);
	if (!err)
		return 0;
	attach_given_close(a, ret);
	return op_fail(error, err, "%s cannot be given to the process: %s", path, strerror(-err));
}

void attach_given_close(struct attach *a, const struct attach_given *given)
{
	struct op_reason error = { "" };

	attach_system_call(a, (struct attach_call){.number = SYS_close, .args = {given->fd}},
			   &error);
}
