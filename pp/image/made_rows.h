/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made_rows.h -- unwind rows (libcfi/made.h) from the unwinding information in a jit-PID.dump. */
#ifndef PP_IMAGE_MADE_ROWS_H
#define PP_IMAGE_MADE_ROWS_H

#include <stddef.h>

/*
 * Write the unwind rows of all functions in a dump to @fd. @data: the dump, of @size bytes. Return
 * 0; -EINVAL if @data is not a dump; -ENOENT if the dump has no unwinding information; -ENOTSUP if
 * it is of another architecture; -EFBIG if it has more code than a file of rows allows; or another
 * negative errno.
 */
int pp_made_rows_write(int fd, const char *data, size_t size);

#endif
