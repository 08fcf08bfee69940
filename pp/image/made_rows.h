/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made_rows.h -- makes the rows to walk stacks by (libcfi/made.h) from the unwinding information in a jit-PID.dump. */
#ifndef PP_IMAGE_MADE_ROWS_H
#define PP_IMAGE_MADE_ROWS_H

#include <stddef.h>

/*
 * Write the rows of all code in the dump of @size bytes at @data to @fd. Return 0, -EINVAL: it is no dump, -ENOENT: it
 * describes no code's frames, -ENOTSUP: another machine's, -EFBIG: it has more code than such a file may have, or another negative errno.
 */
int pp_made_rows_write(int fd, const char *data, size_t size);

#endif
