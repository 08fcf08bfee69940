/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h -- declarations that all fuzz targets use. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run if a condition is false that must be true for any input. */
#define fuzz_require(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

/* Copies the input into a string of its own, so that ASan sees a read beyond its end. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	fuzz_require(s);
	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

#endif
