// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_copy.c -- copying of a JIT file into a session, in slices. */
#include "config.h"
#include "daemon/image/jit_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/session.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "libop/base/dir.h"
#include "libop/base/quota.h"

#define SLICE		(512 << 10)	/* number of bytes of a JIT file that one call copies */
/* number of bytes at the start of a JIT file to compare with the start of its copy */
#define HEAD		64
#define DIRECTORY	"jit"

static void temporary_name(const struct opd_jit_copy *c, char name[64])
{
	snprintf(name, 64, "%s" OP_UNFINISHED, c->name);
}

void opd_jit_copy_clean(int current_fd)
{
	int fd = openat(current_fd, DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	op_delete_unfinished(fd);
	close(fd);
}

int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd)
{
	char name[64];
	int made, err;

	c->jit_fd = opd_open_dir_at(current_fd, DIRECTORY, 0755, &made);
	if (c->jit_fd < 0)
		return c->jit_fd;
	c->left = c->st.st_size;
	temporary_name(c, name);
	unlinkat(c->jit_fd, name, 0);
	err = op_quota_request_name(OP_QUOTA_SAMPLES);
	if (err) {
		close(c->jit_fd);
		return err;
	}
	c->to = openat(c->jit_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (c->to >= 0)
		return 0;
	err = -errno;
	close(c->jit_fd);
	return err;
}

static void close_all(struct opd_jit_copy *c)
{
	close(c->from);
	close(c->to);
	close(c->jit_fd);
	c->to = -1;
}

void opd_jit_copy_drop(struct opd_jit_copy *c)
{
	char name[64];

	if (c->to < 0)
		return;
	temporary_name(c, name);
	unlinkat(c->jit_fd, name, 0);
	close_all(c);
}

int opd_jit_copy_end(struct opd_jit_copy *c)
{
	char name[64];

	temporary_name(c, name);
	if (fchmod(c->to, 0600 | (c->st.st_mode & 0044)) ||
	    renameat(c->jit_fd, name, c->jit_fd, c->name))
		return -errno;
	close_all(c);
	return 0;
}

/* Write @len bytes of a copy. Do not request disk space, because opd_jit_copy_slice() has done so:
 * op_write_all() would request it again, and could use space that is reserved for other files. */
static int write_asked(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int copy_here(struct opd_jit_copy *c)
{
	char buf[16384];
	int err = 0;

	for (size_t i = 0; i < SLICE / sizeof(buf) && c->left && !err; i++) {
		size_t want = c->left < (off_t)sizeof(buf) ? (size_t)c->left : sizeof(buf);
		ssize_t n = read(c->from, buf, want);

		if (n <= 0)
			c->left = 0;
		else
			err = write_asked(c->to, buf, (size_t)n);
		c->left -= n > 0 ? n : 0;
	}
	return err;
}

static int copy_by_finder(struct opd_jit_copy *c, struct opd_finder *finder)
{
	const struct opd_identity from = { .fd = c->from, .payer = c->payer };
	size_t want = c->left < SLICE ? (size_t)c->left : SLICE;
	struct opd_copied copied;
	int failed = opd_finder_copy(finder, &copied, &from, c->to, c->st.st_size - c->left, want);

	if (failed)
		return failed == -ETIMEDOUT ? failed : -ENODATA;
	c->left = copied.len < want ? 0 : c->left - (off_t)want;
	return copied.err;
}

int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder)
{
	size_t bytes = c->left < SLICE ? (size_t)c->left : SLICE;
	int err = op_quota_request(OP_QUOTA_SAMPLES, bytes + 2 * OP_QUOTA_BLOCK);

	if (!err)
		err = c->found ? copy_by_finder(c, finder) : copy_here(c);
	if (err)
		opd_jit_copy_drop(c);
	return err;
}

bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd)
{
	char path[80], file[HEAD], copy[HEAD];
	ssize_t n, m;
	int fd;

	snprintf(path, sizeof(path), "jit/%s", c->name);
	fd = openat(current_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	m = pread(fd, copy, sizeof(copy), 0);
	close(fd);
	n = pread(c->from, file, sizeof(file), 0);
	return m > 0 && n >= m && !memcmp(file, copy, (size_t)m);
}
