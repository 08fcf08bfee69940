/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota.h -- a limit of the disk space that a process may add.
 *
 * The limit belongs to the whole process, like the limits of setrlimit(). Before a process extends
 * a file or creates a name, it must request the maximum number of blocks that the kernel may use:
 *   - for a file, the blocks from the end of its allocated blocks to its new end, and a block for
 *     the file system's map of the file;
 *   - for a name, two blocks of the directory; a new directory also needs a block of its own.
 *
 * The functions of libop that write files make these requests. libdb makes them by a function that
 * odb_limit_growth() installs (libdb/odb.h). In a process without a limit all requests succeed.
 * Only one thread of the process may make requests.
 */
#ifndef OP_BASE_QUOTA_H
#define OP_BASE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

#define OP_QUOTA_BLOCK	4096

enum op_quota_use {
	/* files whose size depends on the samples, and copies of users' files */
	OP_QUOTA_SAMPLES,
	OP_QUOTA_OTHERS,
};

/* A function that decides on a request. Return 0 if the process may use @bytes more, or -ENOSPC. */
typedef int op_quota_fn(void *arg, enum op_quota_use use, uint64_t bytes);

/* Let the function @ask decide on all requests from now on; NULL: no limit. */
void op_quota_set(op_quota_fn *ask, void *arg);

/* Request @bytes of disk space. Like the functions below, return 0 or -ENOSPC. */
int op_quota_request(enum op_quota_use use, uint64_t bytes);
/* Request the blocks for the next write of @len bytes to @fd. A descriptor that is not a regular
 * file needs no blocks. */
int op_quota_request_write(int fd, size_t len);
/* Request the blocks for the name of a new file, or for a new directory. */
int op_quota_request_name(enum op_quota_use use);
int op_quota_request_dir(enum op_quota_use use);

#endif
