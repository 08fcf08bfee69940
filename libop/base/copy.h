/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h -- a private copy of a file in memory, which does not change if the file is written to.
 * Holes of the file use no memory.
 */
#ifndef LIBOP_BASE_COPY_H
#define LIBOP_BASE_COPY_H

#include <stddef.h>

/* Maximum size of a file to copy, in bytes. Any user can create a file with a huge hole; copying
 * the file would cost memory for page tables and hours of reading. */
#define OP_COPY_MOST	(64LL << 30)

struct op_copy {
	unsigned char *bytes;	/* contents of the file; NULL: the file is empty */
	size_t size;
};

/* Copy the file that is open as @fd. If the file is truncated during the copy, the missing bytes
 * are zero. Return 0 or a negative errno; -EUCLEAN: not a regular file; -EFBIG: larger than
 * OP_COPY_MOST. */
int op_copy_make(struct op_copy *ret, int fd);
void op_copy_release(struct op_copy *copy);

#endif
