/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * num.h -- numbers to text and back, where printf() may not be called.
 *
 * Nothing here allocates, locks, sets errno or knows a locale.
 */
#ifndef LIBOP_RAW_NUM_H
#define LIBOP_RAW_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_NUM_MAX	64	/* digits of a number, in base 2 */

/* How many decimal digits @n has; 1 for 0. */
unsigned int raw_ndigits(uint64_t n);

/*
 * Writes @n in base 2, 8, 10 or 16 to @buf, without a NUL, and returns the end. Less than @width digits (at most
 * RAW_NUM_MAX) are filled up with @pad on the left. @buf has room for RAW_NUM_MAX characters. Another base is 10.
 */
char *raw_num2str(char *buf, uint64_t n, unsigned int base, unsigned int width, char pad);

/*
 * Reads digits of @base (2 to 16) from @text, up to @len characters or the first that is none; capital letters are
 * digits too. Returns how many were read: 0 when there are none, or when the number has more than 64 bits. @ret is
 * untouched then.
 */
size_t raw_str2num(uint64_t *ret, const char *text, size_t len, unsigned int base);

#endif
