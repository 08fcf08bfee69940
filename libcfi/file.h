/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- what is kept of an ELF file to walk stacks by: its table, where functions begin and where in its code a call ends.
 *
 * A walk asks of every return address whether it is behind a call, and who walks a copy of a stack may have no way
 * to the program's code, or none that does not wait for a user. So a bit for each place in it is kept beside the table.
 * Who counts by function and not by address needs to know where they begin.
 */
#ifndef LIBCFI_FILE_H
#define LIBCFI_FILE_H

#include <stdbool.h>

#include "libcfi/functions.h"
#include "libcfi/table.h"

#define CFI_FILE_MAGIC		0x3346574fU	/* "OWF3" */
/* Caches keep such files for long. Increase this number when libcfi makes a different file for the
 * same program. */
#define CFI_FILE_VERSION	7

/*
 * The header, the table (table_size bytes, a multiple of 8), where functions begin (functions.h; from calls_start on), a bit
 * for each 2^calls_shift bytes of code from calls_start on. In a machine's own byte order: it never leaves it.
 */
struct cfi_file {
	__u32 magic;
	__u8 machine;			/* enum oprofile_uw_machine */
	__u8 calls_shift;
	__u16 reserved;
	__u64 table_size;		/* 0: there was nothing to make one from */
	__u64 calls_start, calls_length;	/* offsets of the file, bytes */
	__u64 nr_functions;		/* numbers of the list of functions */
};

OPROFILE_UW_INLINE __u64 cfi_file_size(const struct cfi_file *file)
{
	__u64 step = 1U << file->calls_shift;

	/* A last place that is only half code has its bit, too. */
	return sizeof(*file) + file->table_size + file->nr_functions * sizeof(__u32) + (((file->calls_length + step - 1) >> file->calls_shift) + 7) / 8;
}

OPROFILE_UW_INLINE const __u32 *cfi_file_functions(const struct cfi_file *file)
{
	return (const __u32 *)((const char *)(file + 1) + file->table_size);
}

/* Where the function that has @offset begins, of a sound file; @offset where that is not known. */
OPROFILE_UW_INLINE __u64 cfi_file_function(const struct cfi_file *file, __u64 offset)
{
	return cfi_functions_begin(cfi_file_functions(file), (__u32)file->nr_functions, file->calls_start, offset);
}

/* Whether a call ends at @offset, of a sound file. */
OPROFILE_UW_INLINE bool cfi_file_behind_call(const struct cfi_file *file, __u64 offset)
{
	const __u8 *bits = (const __u8 *)(cfi_file_functions(file) + file->nr_functions);
	__u64 at = offset - file->calls_start;

	if (offset < file->calls_start || at >= file->calls_length || at & ((1U << file->calls_shift) - 1))
		return false;
	at >>= file->calls_shift;
	return bits[at / 8] >> at % 8 & 1;
}

/* Its table; NULL: it has none. */
OPROFILE_UW_INLINE const struct oprofile_uw_table *cfi_file_table(const struct cfi_file *file)
{
	return file->table_size ? (const struct oprofile_uw_table *)(file + 1) : 0;
}

/* Whether @size bytes at @file, aligned to 8, are one that the functions here may be given. */
bool cfi_file_sound(const struct cfi_file *file, __u64 size);

/*
 * Makes one in @room, as much as cfi_file_room() says (0: there is no code in the ELF file), zeroed, aligned to 8.
 * cfi_file_size() says how much it became. 0, or what cfi_table_make() says but for -ENOENT.
 */
__u64 cfi_file_room(const struct cfi_elf *elf);
int cfi_file_make(const struct cfi_elf *elf, void *room, __u64 size);

#endif
