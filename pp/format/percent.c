// SPDX-License-Identifier: GPL-2.0-or-later
/* percent.c -- percentages, of fixed width if possible. */
#include "config.h"
#include "pp/format/percent.h"

#include <string.h>

/* Write a number of ten-thousandths, such as 123456 as "12.3456". printf() is too slow for millions
 * of percentages. */
static void put_fixed(char *buf, uint32_t ten_thousandths)
{
	for (int i = PP_PERCENT_WIDTH - 1; i >= 0; i--) {
		if (i == 2) {
			buf[i] = '.';
			continue;
		}
		buf[i] = i == 0 && !ten_thousandths ? ' ' : '0' + ten_thousandths % 10;
		ten_thousandths /= 10;
	}
}

/* Write a percentage below 0.001 with an exponent, such as "5.0e-04". */
static void put_scientific(char *buf, uint64_t part, uint64_t total)
{
	unsigned __int128 x = (unsigned __int128)part * 100;
	unsigned int exponent = 0, digits;

	/* Find the decimal exponent: multiply until x / total is at least 1. The loop is short and
	 * x does not overflow, because 100 * part / total is at least 100 / 2^64. */
	while (x < total) {
		x *= 10;
		exponent++;
	}
	x = x * 10;
	digits = x / total;
	x -= (unsigned __int128)digits * total;
	if (x > total - x || (x == total - x && (digits & 1)))
		digits++;
	if (digits == 100) {
		digits = 10;
		exponent--;
	}
	buf[0] = '0' + digits / 10;
	buf[1] = '.';
	buf[2] = '0' + digits % 10;
	buf[3] = 'e';
	buf[4] = '-';
	buf[5] = '0' + exponent / 10;
	buf[6] = '0' + exponent % 10;
}

/* Write a percentage that would be rounded to 100, such as "99.99995", with enough digits to
 * distinguish it from 100. Return the length. */
static int put_almost_all(char *buf, uint64_t part, uint64_t total)
{
	unsigned __int128 missing = (unsigned __int128)(total - part) * 1000000;
	int n = 7;	/* number of digits so far: "99.9999" is 0.0001 percent less than 100 */

	memcpy(buf, "99.9999", 7);
	while (missing * 2 <= total) {
		buf[n++] = '9';
		missing *= 10;
	}
	/* The last digit is 10 minus at most 5, because the missing part is less than half a unit
	 * of the previous digit. */
	buf[n - 1] = '0' + 10 - (int)((missing * 2 + total) / 2 / total);
	buf[n] = '\0';
	return n;
}

int pp_percent(char buf[PP_PERCENT_SIZE], uint64_t part, uint64_t total)
{
	unsigned __int128 scaled = (unsigned __int128)part * 1000000;
	uint64_t rounded, rest;

	buf[PP_PERCENT_WIDTH] = '\0';
	if (!part || !total) {
		memcpy(buf, "      0", PP_PERCENT_WIDTH);
		return PP_PERCENT_WIDTH;
	}
	if (part >= total) {
		memcpy(buf, "100.000", PP_PERCENT_WIDTH);
		return PP_PERCENT_WIDTH;
	}
	if (scaled < (unsigned __int128)total * 10) {	/* less than 0.001 percent */
		put_scientific(buf, part, total);
		return PP_PERCENT_WIDTH;
	}
	rounded = scaled / total;
	rest = scaled % total;
	if (rest > total - rest || (rest == total - rest && (rounded & 1)))
		rounded++;
	if (rounded > 999999)
		return put_almost_all(buf, part, total);
	put_fixed(buf, rounded);
	return PP_PERCENT_WIDTH;
}
