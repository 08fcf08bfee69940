/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h -- type of functions that read bytes of a file, of this process, or of another process.
 */
#ifndef LIBOP_RAW_READ_H
#define LIBOP_RAW_READ_H

#include <stddef.h>
#include <stdint.h>

/* Copy up to @len bytes from offset or address @at to @buf. Return the number of bytes copied,
 * which may be lower than @len; 0 or negative: no bytes were copied. */
typedef long (*raw_read_fn)(void *arg, uint64_t at, void *buf, size_t len);

#endif
