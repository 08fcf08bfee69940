// SPDX-License-Identifier: GPL-2.0-or-later
/* quota.c -- the limit of the disk space that a process may add. */
#include "config.h"
#include "libop/base/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Static, because the limit belongs to the process. Otherwise each function that writes a file
 * would need the limit as an argument. */
static struct {
	op_quota_fn *ask;
	void *arg;
} quota;

void op_quota_set(op_quota_fn *ask, void *arg)
{
	quota.ask = ask;
	quota.arg = arg;
}

int op_quota_request(enum op_quota_use use, uint64_t bytes)
{
	return quota.ask ? quota.ask(quota.arg, use, bytes) : 0;
}

int op_quota_request_write(int fd, size_t len)
{
	uint64_t end, has;
	struct stat st;
	off_t at;
	int flags;

	if (!quota.ask || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	flags = fcntl(fd, F_GETFL);
	at = flags >= 0 && (flags & O_APPEND) ? st.st_size : lseek(fd, 0, SEEK_CUR);
	if (at < 0)
		at = st.st_size;
	end = (uint64_t)at + len;
	end += OP_QUOTA_BLOCK - 1;
	end -= end % OP_QUOTA_BLOCK;
	has = (uint64_t)st.st_blocks * 512;
	return end > has ? op_quota_request(OP_QUOTA_OTHERS, end - has + OP_QUOTA_BLOCK) : 0;
}

int op_quota_request_name(enum op_quota_use use)
{
	return op_quota_request(use, 2 * OP_QUOTA_BLOCK);
}

int op_quota_request_dir(enum op_quota_use use)
{
	return op_quota_request(use, 3 * OP_QUOTA_BLOCK);
}
