/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h -- makes the table of module/uapi/unwind.h from an ELF file.
 */
#ifndef LIBCFI_TABLE_H
#define LIBCFI_TABLE_H

#include "libcfi/elf.h"

/*
 * How many bytes cfi_table_make() needs at most, for the table and for what it notes meanwhile: much more than it
 * will touch, so a private mapping is what to give it. 0: there is nothing to make one from.
 */
__u64 cfi_table_room(const struct cfi_elf *elf);

/*
 * Makes the table at the beginning of @room, @size zeroed bytes, aligned to 8; oprofile_uw_table_size() says how
 * long it is. Rows of .eh_frame, of .debug_frame, of stubs that neither describes, and of
 * other code by its instructions (infer.h). *@ret_unsupported, where it
 * is not NULL: how many rows no rule can tell.
 * -ENOENT: nothing to make one from; -EFBIG: more rows than a table may have; -ESTALE: the file was changed meanwhile.
 */
int cfi_table_make(const struct cfi_elf *elf, void *room, __u64 size, __u32 *ret_unsupported);

#endif
