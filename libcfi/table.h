/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h -- creation of an unwind table (module/uapi/unwind.h) from an ELF file.
 */
#ifndef LIBCFI_TABLE_H
#define LIBCFI_TABLE_H

#include "libcfi/elf.h"

/*
 * Return an upper limit of the number of bytes that cfi_table_make() needs, for the table and its
 * working memory. Only a small part of them is written, so the caller should map the memory
 * privately: the kernel then allocates only the written pages. Return 0 if the file has no unwind
 * information.
 */
__u64 cfi_table_room(const struct cfi_elf *elf);

/*
 * Create the unwind table at the start of @room, which has @size zeroed bytes, aligned to 8;
 * oprofile_uw_table_size() returns the table's size. The table has the rows of .eh_frame and
 * .debug_frame, rows of stubs, and inferred rows for all other code (infer.h). *@ret_unsupported,
 * if not NULL: number of rows that rules cannot express. Return 0; -ENOENT: no unwind information;
 * -EFBIG: too many rows; -ESTALE: the file was changed during the call.
 */
int cfi_table_make(const struct cfi_elf *elf, void *room, __u64 size, __u32 *ret_unsupported);

#endif
