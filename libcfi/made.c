// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c -- lookup of unwind rules and of ends of call instructions in JIT code. */
#include "libcfi/made.h"

#include "module/uapi/unwind_walk.h"

/*
 * The pieces of JIT code are sorted by start address. A search starts at the last piece that starts
 * at or before the searched address, and goes back over at most 256 pieces. Only a process that
 * replaces its code very often has more pieces at one address.
 */
#define MAX_BACK	256

static bool rows_are_valid(const struct cfi_made *made, const struct cfi_made_code *code)
{
	const struct cfi_made_row *rows = cfi_made_rows(made) + code->first_row;

	for (__u32 i = 0; i < code->nr_rows; i++)
		if (rows[i].offset >= code->size || (i && rows[i].offset <= rows[i - 1].offset) ||
		    !oprofile_uw_rule_sound(&rows[i].rule, made->machine))
			return false;
	return true;
}

bool cfi_made_is_valid(const struct cfi_made *made, __u64 size)
{
	const struct cfi_made_code *codes = cfi_made_codes(made);
	__u64 reach = 0;

	if (size < sizeof(*made) || made->magic != CFI_MADE_MAGIC ||
	    !oprofile_uw_nr_registers(made->machine) || made->nr_codes > CFI_MADE_MAX_CODES ||
	    made->nr_rows > CFI_MADE_MAX_ROWS || made->nr_calls > CFI_MADE_MAX_CALLS ||
	    cfi_made_size(made) != size)
		return false;
	for (__u32 i = 0; i < made->nr_codes; i++) {
		const struct cfi_made_code *code = &codes[i];

		if (code->start + code->size < code->start ||
		    (i && code->start < codes[i - 1].start) || code->first_row > made->nr_rows ||
		    code->nr_rows > made->nr_rows - code->first_row ||
		    code->first_call > made->nr_calls ||
		    code->nr_calls > made->nr_calls - code->first_call ||
		    !rows_are_valid(made, code))
			return false;
		if (code->start + code->size > reach)
			reach = code->start + code->size;
		if (code->reach != reach)
			return false;
	}
	return true;
}

const struct cfi_made_code *cfi_made_find(const struct cfi_made *made, __u64 address, __u64 time)
{
	const struct cfi_made_code *codes = cfi_made_codes(made), *found = 0;
	__u32 low = 0, high = made->nr_codes;

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (__u32 back = 0; low && back < MAX_BACK && codes[low - 1].reach > address;
	     low--, back++) {
		const struct cfi_made_code *code = &codes[low - 1];

		if (address - code->start < code->size && code->time <= time &&
		    (!found || code->order > found->order))
			found = code;
	}
	return found;
}

const struct oprofile_uw_rule *cfi_made_rule(const struct cfi_made *made,
					     const struct cfi_made_code *code, __u64 address)
{
	const struct cfi_made_row *rows = cfi_made_rows(made) + code->first_row;
	__u64 offset = address - code->start;
	__u32 low = 0, high = code->nr_rows;

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (rows[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return !low || rows[low - 1].rule.cfa == OPROFILE_UW_CFA_NONE ? 0 : &rows[low - 1].rule;
}

bool cfi_made_is_after_call(const struct cfi_made *made, const struct cfi_made_code *code,
			  __u64 address)
{
	const __u32 *calls = cfi_made_calls(made) + code->first_call;
	__u64 offset = address - code->start;
	__u32 low = 0, high = code->nr_calls;

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (calls[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < code->nr_calls && calls[low] == offset;
}
