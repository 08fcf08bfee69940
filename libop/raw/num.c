// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * num.c -- conversion of numbers to text and back without printf().
 *
 * The number of digits is computed first, so that each digit is written to its final position.
 * Digits are computed in batches: one division yields eight decimal digits, one multiplication
 * eight binary ones. Divisors are compile-time constants, which the compiler replaces by
 * multiplications.
 */
#include "libop/raw/num.h"

/* The number of decimal digits is about the number of bits / log2(10): bits * 1233 / 4096 is this
 * number, or one less. */
unsigned int raw_ndigits(uint64_t n)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	unsigned int nr = (64 - __builtin_clzll(n | 1)) * 1233 >> 12;

	return nr + (n >= powers[nr]);
}

#define TEN(tens)	tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"

static const char pairs[] =
	TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

/* Convert eight digits. The divisions do not depend on each other, so that the CPU executes them in
 * parallel. */
static void eight_digits(char *to, uint32_t n)
{
	uint32_t high = n / 10000, low = n % 10000;

	__builtin_memcpy(to, pairs + high / 100 * 2, 2);
	__builtin_memcpy(to + 2, pairs + high % 100 * 2, 2);
	__builtin_memcpy(to + 4, pairs + low / 100 * 2, 2);
	__builtin_memcpy(to + 6, pairs + low % 100 * 2, 2);
}

static void decimal(char *end, uint64_t n)
{
	uint32_t rest;

	while (n >= 100000000) {
		end -= 8;
		eight_digits(end, n % 100000000);
		n /= 100000000;
	}
	for (rest = n; rest >= 100; rest /= 100) {
		end -= 2;
		__builtin_memcpy(end, pairs + rest % 100 * 2, 2);
	}
	if (rest >= 10)
		__builtin_memcpy(end - 2, pairs + rest * 2, 2);
	else
		end[-1] = '0' + rest;
}

/* Convert eight bits to a byte each, highest bit first: copy @byte to all eight bytes, mask a
 * different bit in each, and add a number so that a nonzero byte carries into its highest bit. */
static void eight_bits(char *to, unsigned int byte)
{
	const uint64_t ones = 0x0101010101010101;
	const uint64_t each =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0x0102040810204080 : 0x8040201008040201;
	uint64_t bits = (byte * ones) & each;

	bits = (((bits + 0x7f * ones) >> 7) & ones) + '0' * ones;
	__builtin_memcpy(to, &bits, sizeof(bits));
}

static void binary(char *end, uint64_t n, unsigned int nr)
{
	char rest[8];

	for (; nr >= 8; nr -= 8, n >>= 8) {
		end -= 8;
		eight_bits(end, n & 0xff);
	}
	if (nr) {
		eight_bits(rest, n);
		__builtin_memcpy(end - nr, rest + 8 - nr, nr);
	}
}

static void octal(char *end, uint64_t n, unsigned int nr)
{
	for (; nr; nr--, n >>= 3)
		*--end = '0' + (n & 7);
}

static void hexadecimal(char *end, uint64_t n, unsigned int nr)
{
	static const char digits[] = "0123456789abcdef";

	for (; nr; nr--, n >>= 4)
		*--end = digits[n & 0xf];
}

char *raw_num2str(char *buf, uint64_t n, unsigned int base, unsigned int width, char pad)
{
	unsigned int bits = 64 - __builtin_clzll(n | 1), nr;

	switch (base) {
	case 2: nr = bits; break;
	case 8: nr = (bits + 2) / 3; break;
	case 16: nr = (bits + 3) / 4; break;
	default: nr = raw_ndigits(n); base = 10; break;
	}
	if (width > RAW_NUM_MAX)
		width = RAW_NUM_MAX;
	if (pad == '0' && base != 10 && width > nr)
		/* in bases that are powers of two, convert the padding zeros like other digits */
		nr = width;
	if (width > nr) {
		__builtin_memset(buf, pad, width - nr);
		buf += width - nr;
	}
	buf += nr;
	switch (base) {
	case 2: binary(buf, n, nr); break;
	case 8: octal(buf, n, nr); break;
	case 16: hexadecimal(buf, n, nr); break;
	default: decimal(buf, n); break;
	}
	return buf;
}

/* For each character, its value as a digit plus one; 0: the character is not a digit. */
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
