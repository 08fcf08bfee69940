/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made_rows.h -- unwind rows (libcfi/made.h) from the unwinding information in a jit-PID.dump. */
#ifndef PP_IMAGE_MADE_ROWS_H
#define PP_IMAGE_MADE_ROWS_H

#include <stddef.h>

/*
 * Write the rows of all code in the dump of @size bytes at @data to @fd. Return 0; -EINVAL if it is
 * not a dump; -ENOENT if it describes no frames; -ENOTSUP if it is of another machine; -EFBIG if it
 * has more code than a file of rows may have; or another negative errno.
 */
int pp_made_rows_write(int fd, const char *data, size_t size);

#endif
