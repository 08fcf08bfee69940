/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- the cfi file of an ELF file: its unwind table, the starts of its functions and the ends
 * of its calls.
 *
 * A stack walk checks for each return address whether a call precedes it. A daemon that walks a
 * copy of a stack may not be able to read the program's code, or may have to wait for a user's file
 * system. So the cfi file has a bit for each position in the code. The starts of functions are
 * needed for counting samples by function.
 */
#ifndef LIBCFI_FILE_H
#define LIBCFI_FILE_H

#include <stdbool.h>

#include "libcfi/functions.h"
#include "libcfi/table.h"

#define CFI_FILE_MAGIC		0x3346574fU	/* the bytes "OWF3" */
/* Version of the contents. Caches keep cfi files for a long time, so increase this number when
 * libcfi would write a different cfi file for the same ELF file. */
#define CFI_FILE_VERSION	10

/*
 * The header. After it come the unwind table (table_size bytes, a multiple of 8), then the list of
 * functions, relative to calls_start (functions.h), then a bit for each 2^calls_shift bytes of code
 * from calls_start on. The bit is set if a call instruction ends there. Numbers have the machine's
 * byte order, because the file stays on the machine.
 */
struct cfi_file {
	__u32 magic;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	__u8 calls_shift;
	__u16 reserved;
	/* size of the unwind table; 0: the ELF file has no unwind information */
	__u64 table_size;
	/* the code: its offset in the ELF file, and its size in bytes */
	__u64 calls_start, calls_length;
	__u64 nr_functions;		/* number of elements in the list of functions */
	/* main(): its offset in the ELF file, and its size in bytes; both are 0 if unknown */
	__u64 main_start, main_length;
};

OPROFILE_UW_INLINE __u64 cfi_file_size(const struct cfi_file *file)
{
	__u64 step = 1U << file->calls_shift;

	/* Round up: code at the end that is shorter than 2^calls_shift bytes also has a bit. */
	return sizeof(*file) + file->table_size + file->nr_functions * sizeof(__u32) +
	       (((file->calls_length + step - 1) >> file->calls_shift) + 7) / 8;
}

OPROFILE_UW_INLINE const __u32 *cfi_file_functions(const struct cfi_file *file)
{
	return (const __u32 *)((const char *)(file + 1) + file->table_size);
}

/* Return the start of the function that contains the ELF file's @offset, or @offset if no
 * function is known there. @file must be valid. */
OPROFILE_UW_INLINE __u64 cfi_file_function(const struct cfi_file *file, __u64 offset)
{
	return cfi_functions_begin(cfi_file_functions(file), (__u32)file->nr_functions,
				   file->calls_start, offset);
}

/* Return whether @offset in the ELF file is in main(). */
OPROFILE_UW_INLINE bool cfi_file_is_main(const struct cfi_file *file, __u64 offset)
{
	return offset >= file->main_start && offset - file->main_start < file->main_length;
}

/* Return whether a call instruction ends at @offset in the ELF file. @file must be valid. */
OPROFILE_UW_INLINE bool cfi_file_is_after_call(const struct cfi_file *file, __u64 offset)
{
	const __u8 *bits = (const __u8 *)(cfi_file_functions(file) + file->nr_functions);
	__u64 at = offset - file->calls_start;

	if (offset < file->calls_start || at >= file->calls_length ||
	    at & ((1U << file->calls_shift) - 1))
		return false;
	at >>= file->calls_shift;
	return bits[at / 8] >> at % 8 & 1;
}

/* Return the unwind table in the cfi file, or NULL if it has none. */
OPROFILE_UW_INLINE const struct oprofile_uw_table *cfi_file_table(const struct cfi_file *file)
{
	return file->table_size ? (const struct oprofile_uw_table *)(file + 1) : 0;
}

/* Return whether the @size bytes at @file, aligned to 8, are a valid cfi file. All other functions
 * accept only valid cfi files. */
bool cfi_file_is_valid(const struct cfi_file *file, __u64 size);

/*
 * cfi_file_room(): return the maximum size of the cfi file of @elf in bytes; 0: the ELF file has no
 * code. cfi_file_make(): create the cfi file in the zeroed memory @room, aligned to 8, of @size >=
 * cfi_file_room() bytes. cfi_file_size() then returns the size of the cfi file. Return 0 or an
 * error of cfi_table_make() except -ENOENT.
 */
__u64 cfi_file_room(const struct cfi_elf *elf);
int cfi_file_make(const struct cfi_elf *elf, void *room, __u64 size);

#endif
