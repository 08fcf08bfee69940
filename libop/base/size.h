/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * size.h -- numbers of bytes with a unit: 4096, 64K, 256M, 1G.
 */
#ifndef OP_BASE_SIZE_H
#define OP_BASE_SIZE_H

#include <stdint.h>

#define OP_SIZE_RULE	"a number of bytes, as 4096, 64K, 256M or 1G"

/* Parse @text, a number of bytes. Return 0; -EINVAL: not a number with an optional unit; -ERANGE:
 * too large. */
int op_size_parse(uint64_t *ret, const char *text);

#endif
