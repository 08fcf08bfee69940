/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made_rows.h -- unwind rows (libcfi/made.h) from the unwinding information in a jit-PID.dump. */
#ifndef PP_IMAGE_MADE_ROWS_H
#define PP_IMAGE_MADE_ROWS_H

#include <stddef.h>

/*
 * Write the rows of all code in the dump of @size bytes at @data to @fd. Return 0; -EINVAL if @data
 * is not a dump; -ENOENT if the dump has no unwinding information; -ENOTSUP if the dump was written
 * on a machine of another architecture; -EFBIG if the dump has more code than a file of rows may
 * have; or another negative errno.
 */
int pp_made_rows_write(int fd, const char *data, size_t size);

#endif
