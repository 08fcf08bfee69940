// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * row_at.c -- lookup of the unwind row at one address. The lookup uses the index .eh_frame_hdr, or
 * searches the section if the file has no index.
 */
#include "libcfi/cfi.h"

#include <errno.h>

#include "libcfi/entry.h"

/* size in bytes of an entry of the index: two 32-bit addresses relative to the index, of a function
 * and of its FDE */
#define INDEX_ROW	8

/*
 * Look up the FDE of the function at @pc in the index. Set *@ret_offset to the offset of the FDE in
 * the section. Return 1; 0 if all functions start after @pc; or -ENOENT if the index cannot be
 * used.
 */
static int look_up(const struct cfi_section *section, __u64 pc, size_t *ret_offset)
{
	static const unsigned char usual[] = { 1, 0x1b, 3, 0x3b };
	struct cfi_bytes bytes = { section->index, section->index + section->index_size, 0 };
	const unsigned char *rows;
	__u32 first = 0, behind;
	__s64 wanted = pc - section->index_address;
	__u64 entry;
	__s32 at;

	for (unsigned int i = 0; i < sizeof(usual); i++)
		if (cfi_number(&bytes, 1) != usual[i])
			return -ENOENT;
	cfi_number(&bytes, 4);		/* skip the address of .eh_frame */
	behind = cfi_number(&bytes, 4);
	rows = cfi_take(&bytes, (__u64)behind * INDEX_ROW);
	if (!rows)
		return -ENOENT;
	while (first < behind) {
		__u32 middle = first + (behind - first) / 2;

		__builtin_memcpy(&at, rows + (size_t)middle * INDEX_ROW, sizeof(at));
		if (at <= wanted)
			first = middle + 1;
		else
			behind = middle;
	}
	if (!first)
		return 0;
	__builtin_memcpy(&at, rows + (size_t)(first - 1) * INDEX_ROW + 4, sizeof(at));
	entry = section->index_address + at - section->address;
	if (entry >= section->size)
		return -ENOENT;
	*ret_offset = entry;
	return 1;
}

/* Find the function that contains @pc. Return 1; 0 if the section describes no function there;
 * or -EFBIG. */
static int find(struct cfi_entries *entries, __u64 pc, struct cfi_function *function)
{
	size_t offset = 0;
	int got = entries->section->index ? look_up(entries->section, pc, &offset) : -ENOENT;

	if (got >= 0) {
		if (got) {
			cfi_entries_seek(entries, offset);
			got = cfi_entries_next(entries, function);
		}
		return got <= 0 ? got : pc >= function->from && pc < function->to;
	}
	do
		got = cfi_entries_next(entries, function);
	while (got == 1 && (pc < function->from || pc >= function->to));
	return got;
}

int cfi_row_at(const struct cfi_section *section, __u64 pc, struct cfi_row *row)
{
	struct cfi_entries entries;
	struct cfi_function function;
	struct cfi_run run;
	struct cfi_row got;
	int err = cfi_entries_begin(&entries, section);

	if (!err)
		err = find(&entries, pc, &function);
	if (err <= 0)
		return err ? err : -ENOENT;
	cfi_run_begin(&run, &function.shared->factors, &function.shared->initial, function.program,
		      section->address + (function.program.at - section->data), function.from,
		      function.to);
	while (cfi_run_next(&run, &got))
		if (pc >= got.from && pc < got.to) {
			*row = got;
			return 0;
		}
	return -ENOENT;
}

int cfi_function_at(const struct cfi_section *section, __u64 pc, __u64 *from, __u64 *to)
{
	struct cfi_entries entries;
	struct cfi_function function;
	int err = cfi_entries_begin(&entries, section);

	if (!err)
		err = find(&entries, pc, &function);
	if (err <= 0)
		return err ? err : -ENOENT;
	*from = function.from;
	*to = function.to;
	return 0;
}
