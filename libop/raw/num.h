/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * num.h -- conversion of numbers to text and back without printf().
 *
 * No function allocates, locks, sets errno or depends on the locale.
 */
#ifndef LIBOP_RAW_NUM_H
#define LIBOP_RAW_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_NUM_MAX	64	/* maximum number of digits of a number, in base 2 */

/* Return the number of decimal digits of @n; 1 for 0. Declared for tests. */
unsigned int raw_ndigits(uint64_t n);

/*
 * Write @n in base 2, 8, 10 or 16 to @buf, without a NUL, and return the end of the text. Pad it
 * with @pad on the left to @width characters (at most RAW_NUM_MAX). @buf has room for RAW_NUM_MAX
 * characters. Any other base is taken for 10.
 */
char *raw_num2str(char *buf, uint64_t n, unsigned int base, unsigned int width, char pad);

/*
 * Read digits of @base (2 to 16) from @text, up to @len characters or to the first other character.
 * Capital letters are digits, too. Return the number of digits read. Return 0 and leave *@ret
 * unchanged if there are no digits, or if the number has more than 64 bits.
 */
size_t raw_str2num(uint64_t *ret, const char *text, size_t len, unsigned int base);

#endif
