/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h -- bytes from somewhere, for readers that do not care whether that is a file, this process or another.
 */
#ifndef LIBOP_RAW_READ_H
#define LIBOP_RAW_READ_H

#include <stddef.h>
#include <stdint.h>

/* Copies up to @len bytes from @at to @buf. How many there were, which may be less; 0 or negative: none. */
typedef long (*raw_read_fn)(void *arg, uint64_t at, void *buf, size_t len);

#endif
