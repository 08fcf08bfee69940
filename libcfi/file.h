/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- files with an ELF file's unwind table, the begins of its functions and the ends of its
 * calls.
 *
 * A walk checks for each return address whether it follows a call. A daemon that walks a copy of a
 * stack may not be able to read the program's code, or not without waiting for a user's file
 * system. So the file has a bit for each position in the code. Counting by function needs the
 * begins of functions.
 */
#ifndef LIBCFI_FILE_H
#define LIBCFI_FILE_H

#include <stdbool.h>

#include "libcfi/functions.h"
#include "libcfi/table.h"

#define CFI_FILE_MAGIC		0x3346574fU	/* "OWF3" */
/* Caches keep such files for long. Increase this number when libcfi makes a different file for the
 * same program. */
#define CFI_FILE_VERSION	9

/*
 * The header. The table follows (table_size bytes, a multiple of 8), then the begins of functions
 * from calls_start on (functions.h), then a bit for each 2^calls_shift bytes of code from
 * calls_start on. Numbers have the machine's byte order, because the file stays on the machine.
 */
struct cfi_file {
	__u32 magic;
	__u8 machine;			/* enum oprofile_uw_machine */
	__u8 calls_shift;
	__u16 reserved;
	__u64 table_size;		/* 0: the file has no unwind information */
	__u64 calls_start, calls_length;	/* offset in the file, and bytes */
	__u64 nr_functions;		/* length of the list of functions */
};

OPROFILE_UW_INLINE __u64 cfi_file_size(const struct cfi_file *file)
{
	__u64 step = 1U << file->calls_shift;

	/* A last position that is only partly code has a bit, too. */
	return sizeof(*file) + file->table_size + file->nr_functions * sizeof(__u32) +
	       (((file->calls_length + step - 1) >> file->calls_shift) + 7) / 8;
}

OPROFILE_UW_INLINE const __u32 *cfi_file_functions(const struct cfi_file *file)
{
	return (const __u32 *)((const char *)(file + 1) + file->table_size);
}

/* Return the begin of the function at @offset of a valid file, or @offset if it is unknown. */
OPROFILE_UW_INLINE __u64 cfi_file_function(const struct cfi_file *file, __u64 offset)
{
	return cfi_functions_begin(cfi_file_functions(file), (__u32)file->nr_functions,
				   file->calls_start, offset);
}

/* Return whether a call ends at @offset of a valid file. */
OPROFILE_UW_INLINE bool cfi_file_behind_call(const struct cfi_file *file, __u64 offset)
{
	const __u8 *bits = (const __u8 *)(cfi_file_functions(file) + file->nr_functions);
	__u64 at = offset - file->calls_start;

	if (offset < file->calls_start || at >= file->calls_length ||
	    at & ((1U << file->calls_shift) - 1))
		return false;
	at >>= file->calls_shift;
	return bits[at / 8] >> at % 8 & 1;
}

/* Return the table, or NULL. */
OPROFILE_UW_INLINE const struct oprofile_uw_table *cfi_file_table(const struct cfi_file *file)
{
	return file->table_size ? (const struct oprofile_uw_table *)(file + 1) : 0;
}

/* Return whether the @size bytes at @file, aligned to 8, are valid for the other functions. */
bool cfi_file_sound(const struct cfi_file *file, __u64 size);

/*
 * Make a file in @room, which has cfi_file_room() zeroed bytes (0: the ELF file has no code),
 * aligned to 8. cfi_file_size() returns its size. Return 0 or an error of cfi_table_make() except
 * -ENOENT.
 */
__u64 cfi_file_room(const struct cfi_elf *elf);
int cfi_file_make(const struct cfi_elf *elf, void *room, __u64 size);

#endif
