/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * num.h -- conversion of numbers to text and back without printf().
 *
 * The functions do not allocate, lock, set errno or depend on the locale.
 */
#ifndef LIBOP_RAW_NUM_H
#define LIBOP_RAW_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_NUM_MAX	64	/* maximum number of digits of a number (in base 2) */

/* Return the number of decimal digits of @n; 1 for 0. Declared for tests. */
unsigned int raw_ndigits(uint64_t n);

/*
 * Write @n in base 2, 8, 10 or 16 to @buf, without a NUL, padded with @pad on the left to @width
 * characters (at most RAW_NUM_MAX). @buf has room for RAW_NUM_MAX characters. Other bases are
 * treated as 10. Return the end of the text.
 */
char *raw_num2str(char *buf, uint64_t n, unsigned int base, unsigned int width, char pad);

/*
 * Parse digits in @base (2 to 16), upper or lower case, from @text: up to @len characters, or up to
 * the first character that is not a digit. Return the number of digits. If there are no digits, or
 * the number does not fit into 64 bits, return 0 and leave *@ret unchanged.
 */
size_t raw_str2num(uint64_t *ret, const char *text, size_t len, unsigned int base);

#endif
