/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h -- making of an unwind table (module/uapi/unwind.h) from an ELF file.
 */
#ifndef LIBCFI_TABLE_H
#define LIBCFI_TABLE_H

#include "libcfi/elf.h"

/*
 * Return an upper limit of the number of bytes that cfi_table_make() needs for the table and its
 * working memory. The function writes to only a small part of them, so the caller should map the
 * memory privately: the kernel then allocates only pages that are written. Return 0 if the file has
 * no unwind information.
 */
__u64 cfi_table_room(const struct cfi_elf *elf);

/*
 * Make the unwind table at the begin of @room, which has @size zeroed bytes, aligned to 8;
 * oprofile_uw_table_size() returns the table's size. The table has the rows of .eh_frame, of
 * .debug_frame, of stubs without a description, and rows inferred from the instructions of all
 * other code (infer.h). *@ret_unsupported, if not NULL: number of rows that rules cannot express.
 * Return 0; -ENOENT: no unwind information; -EFBIG: more rows than a table may have; -ESTALE: the
 * file was changed during the call.
 */
int cfi_table_make(const struct cfi_elf *elf, void *room, __u64 size, __u32 *ret_unsupported);

#endif
