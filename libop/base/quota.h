/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota.h -- a limit of the disk space that a process may add.
 *
 * The limit belongs to the whole process, as those of setrlimit() do. Rule: before a process lets a
 * file grow or makes a name, it asks for the blocks that the kernel may use for that at most:
 *   - for a file, the blocks from the end of its allocated blocks to its new end, and a block for
 *     the kernel's map of the file;
 *   - for a name, two blocks of the directory; a directory also needs a block of its own.
 * The functions of libop that write files ask. libdb asks through a function that
 * odb_limit_growth() installs (libdb/odb.h). A process without a limit gets all that it asks for.
 * One thread of the process may ask.
 */
#ifndef OP_BASE_QUOTA_H
#define OP_BASE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

#define OP_QUOTA_BLOCK	4096

enum op_quota_use {
	OP_QUOTA_SAMPLES,	/* files that grow with the samples, and copies of users' files */
	OP_QUOTA_OTHERS,
};

/* Return 0 if the process may use @bytes more, or -ENOSPC. */
typedef int op_quota_fn(void *arg, enum op_quota_use use, uint64_t bytes);

/* Ask @ask(@arg, ...) from now on; NULL: the process has no limit. */
void op_quota_set(op_quota_fn *ask, void *arg);

/* Ask for @bytes. Return 0 or -ENOSPC, as the functions below do. */
int op_quota_ask(enum op_quota_use use, uint64_t bytes);
/* Ask for what the next write of @len bytes to @fd needs. Descriptors of other things than regular
 * files need nothing. */
int op_quota_ask_write(int fd, size_t len);
/* Ask for a new name of a file or of a directory. */
int op_quota_ask_name(enum op_quota_use use);
int op_quota_ask_dir(enum op_quota_use use);

#endif
