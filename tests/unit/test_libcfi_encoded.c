// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_encoded.c -- tests decoding of numbers in the DW_EH_PE_* encodings: every format,
 * sizes, signs, and refused formats.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libcfi/encoded.h"

#define NONE	0x1234567812345678u

static const struct {
	uint8_t encoding, word;
	uint64_t address;
	unsigned char bytes[10];
	/* number of bytes that are decoded; 0: the number is refused */
	uint8_t size;
	uint64_t value;
} cases[] = {
	/* absptr: as wide as a pointer of the machine */
	{ 0x00, 8, 0, { 1, 2, 3, 4, 5, 6, 7, 0x88 }, 8, 0x8807060504030201 },
	{ 0x00, 4, 0, { 1, 2, 3, 0x84, 5 }, 4, 0x84030201 },
	/* uleb128, sleb128 */
	{ 0x01, 8, 0, { 0xe5, 0x8e, 0x26 }, 3, 624485 },
	{ 0x09, 8, 0, { 0x7f }, 1, -1 },
	{ 0x09, 8, 0, { 0xc0, 0xbb, 0x78 }, 3, -123456 },
	/* udata2, 4, 8; sdata2, 4, 8 */
	{ 0x02, 8, 0, { 0xfe, 0xff }, 2, 0xfffe },
	{ 0x03, 8, 0, { 0xfe, 0xff, 0xff, 0xff }, 4, 0xfffffffe },
	{ 0x04, 8, 0, { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8, -2 },
	{ 0x0a, 8, 0, { 0xfe, 0xff }, 2, -2 },
	{ 0x0b, 8, 0, { 0xfe, 0xff, 0xff, 0xff }, 4, -2 },
	{ 0x0b, 8, 0, { 0xfe, 0xff, 0xff, 0x7f }, 4, 0x7ffffffe },
	{ 0x0c, 8, 0, { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8, -2 },
	/* pcrel: relative to the address of the number itself, truncated to the machine's word
	 * size */
	{ 0x1b, 8, 0x401000, { 0xf0, 0xff, 0xff, 0xff }, 4, 0x400ff0 },
	{ 0x1b, 4, 0xfffffff0, { 0x20, 0, 0, 0 }, 4, 0x10 },
	/* Formats 5, 6, 7 and 13 do not exist. The bases textrel, datarel, funcrel and aligned are
	 * not supported, and pointers are not followed. */
	{ 0x05, 8, 0, { 1 }, 0, 0 },
	{ 0x06, 8, 0, { 1 }, 0, 0 },
	{ 0x07, 8, 0, { 1 }, 0, 0 },
	{ 0x0d, 8, 0, { 1 }, 0, 0 },
	{ 0x2b, 8, 0, { 1 }, 0, 0 },
	{ 0x3b, 8, 0, { 1 }, 0, 0 },
	{ 0x4b, 8, 0, { 1 }, 0, 0 },
	{ 0x50, 8, 0, { 1 }, 0, 0 },
	{ 0x9b, 8, 0, { 1 }, 0, 0 },
};

static void every_format_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cfi_bytes bytes = { cases[i].bytes, cases[i].bytes + sizeof(cases[i].bytes), 0 };
		uint64_t value = NONE;
		bool read = cfi_encoded(&bytes, cases[i].encoding, cases[i].word, cases[i].address, (__u64 *)&value);

		if (read != (cases[i].size != 0) || value != (read ? cases[i].value : NONE) ||
		    (read && bytes.at != cases[i].bytes + cases[i].size))
			fail_msg("case %zu, encoding %#x: read %d, value %#llx, %zd bytes", i, cases[i].encoding, read,
				 (unsigned long long)value, bytes.at - cases[i].bytes);
	}
}

/* A number that is truncated is refused, and no byte after the end is read. */
static void truncated_numbers_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t size = 0; size < cases[i].size; size++) {
			unsigned char *copy = malloc(size ? size : 1);
			struct cfi_bytes bytes = { copy, copy + size, 0 };
			uint64_t value = NONE;

			assert_non_null(copy);
			memcpy(copy, cases[i].bytes, size);
			assert_false(cfi_encoded(&bytes, cases[i].encoding, cases[i].word, 0, (__u64 *)&value));
			assert_int_equal(value, NONE);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_decoded),
		cmocka_unit_test(truncated_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
