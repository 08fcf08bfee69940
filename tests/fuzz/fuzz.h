/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h -- declarations that all fuzz targets use. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Abort if a condition that must be true for any input is false. */
#define fuzz_require(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

/* Copy the input to a string with its own allocation, so that ASan detects a read past the end. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	fuzz_require(s);
	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

#endif
