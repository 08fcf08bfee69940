// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * num.c -- numbers to text and back, where printf() may not be called.
 *
 * Output goes in batches: a division gives two decimal digits, a shift eight binary ones. Divisors are constants that
 * the compiler sees, so that it multiplies instead.
 */
#include "libop/raw/num.h"

/* Branches rather than a table: a processor guesses a branch, and waits for a load. */
unsigned int raw_ndigits(uint64_t n)
{
	unsigned int more = 0;

	if (n >= 10000000000000000ULL) {
		n /= 10000000000000000ULL;
		more = 16;
	} else if (n >= 100000000) {
		n /= 100000000;
		more = 8;
		if (n >= 100000000)
			return more + 9;
	}
	if (n >= 10000)
		return more + (n >= 1000000 ? (n >= 10000000 ? 8 : 7) : (n >= 100000 ? 6 : 5));
	return more + (n >= 100 ? (n >= 1000 ? 4 : 3) : (n >= 10 ? 2 : 1));
}

#define TEN(tens)	tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"

static char *decimal(char *end, uint64_t n)
{
	static const char pairs[] =
		TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

	while (n >= 100) {
		const char *pair = pairs + n % 100 * 2;

		n /= 100;
		*--end = pair[1];
		*--end = pair[0];
	}
	if (n >= 10) {
		*--end = pairs[n * 2 + 1];
		*--end = pairs[n * 2];
	} else {
		*--end = '0' + n;
	}
	return end;
}

/* The eight bits of a byte become the lowest bits of eight bytes, first the highest one. */
static void eight_bits(char *to, unsigned int byte)
{
	for (int i = 0; i < 8; i++)
		to[i] = '0' + ((byte >> (7 - i)) & 1);
}

static char *binary(char *end, uint64_t n)
{
	unsigned int zeros = 0;

	do {
		end -= 8;
		eight_bits(end, n & 0xff);
		n >>= 8;
	} while (n);
	while (zeros < 7 && end[zeros] == '0')
		zeros++;
	return end + zeros;
}

static char *octal(char *end, uint64_t n)
{
	do {
		*--end = '0' + (n & 7);
		n >>= 3;
	} while (n);
	return end;
}

static char *hexadecimal(char *end, uint64_t n)
{
	static const char digits[] = "0123456789abcdef";

	while (n > 0xf) {
		*--end = digits[n & 0xf];
		*--end = digits[(n >> 4) & 0xf];
		n >>= 8;
		if (!n)
			return end[0] == '0' ? end + 1 : end;
	}
	*--end = digits[n];
	return end;
}

char *raw_num2str(char *buf, uint64_t n, unsigned int base, unsigned int width, char pad)
{
	char digits[RAW_NUM_MAX];
	char *end = digits + sizeof(digits), *at;

	switch (base) {
	case 2: at = binary(end, n); break;
	case 8: at = octal(end, n); break;
	case 16: at = hexadecimal(end, n); break;
	default: at = decimal(end, n); break;
	}
	if (width > RAW_NUM_MAX)
		width = RAW_NUM_MAX;
	for (size_t have = end - at; have < width; have++)
		*buf++ = pad;
	while (at < end)
		*buf++ = *at++;
	return buf;
}

/* The value of each byte as a digit, plus one: what is not named is none. */
static const unsigned char values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

size_t raw_str2num(uint64_t *ret, const char *text, size_t len, unsigned int base)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned int digit = values[(unsigned char)text[i]] - 1u;

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
			return 0;
	}
	if (i)
		*ret = n;
	return i;
}
