/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h -- a file in memory, for readers that look here and there: as it was at one time, whatever its writer does to it
 * then. Holes of the file take no memory.
 */
#ifndef LIBOP_BASE_COPY_H
#define LIBOP_BASE_COPY_H

#include <stddef.h>

/* A larger file could be one hole of anybody's making, and looking through that takes page tables and hours. */
#define OP_COPY_MOST	(64LL << 30)

struct op_copy {
	unsigned char *bytes;	/* NULL: the file is empty */
	size_t size;
};

/* The file may be cut off meanwhile: then there are zeros. Negative errno; -EUCLEAN: it is no regular file; -EFBIG. */
int op_copy_make(struct op_copy *ret, int fd);
void op_copy_release(struct op_copy *copy);

#endif
