// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_cfi_file.c -- fuzzes the reader of unwind table files, whose contents any user's program can
 * influence. In a file that passes the check, look-ups of any address must be safe.
 */
#include "config.h"

#include "libcfi/file.h"
#include "tests/fuzz/fuzz.h"

#define QUESTIONS	64

/* Return the @i-th test address: inside the range, or at one of its ends. */
static __u64 place(unsigned int i, __u64 start, __u64 length)
{
	switch (i) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return start - 1;
	case 3:
		return start + length;
	default:
		return start + length / QUESTIONS * i - (i & 1);
	}
}

static void check_table(const struct oprofile_uw_table *table)
{
	/* The check must have refused every table that the kernel module would refuse. */
	fuzz_require(!oprofile_uw_check(table, oprofile_uw_table_size(table)));
	for (unsigned int i = 0; i < QUESTIONS; i++) {
		const struct oprofile_uw_rule *rule = oprofile_uw_lookup(table, place(i, table->start, table->length));

		fuzz_require(!rule || oprofile_uw_rule_sound(rule, table->machine));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly the size of the input, so that ASan detects a read past its end. */
	struct cfi_file *file = malloc(size + !size);
	unsigned int calls = 0;

	fuzz_require(file);
	memcpy(file, data, size);
	if (cfi_file_is_valid(file, size)) {
		fuzz_require(cfi_file_size(file) == size);
		if (cfi_file_table(file))
			check_table(cfi_file_table(file));
		for (unsigned int i = 0; i < QUESTIONS; i++)
			calls += cfi_file_is_after_call(file, place(i, file->calls_start, file->calls_length));
		fuzz_require(calls <= QUESTIONS);
	}
	free(file);
	return 0;
}
