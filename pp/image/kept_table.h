/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_table.h -- stored symbol tables of binaries. Samples have names even after the binary was
 * deleted or rebuilt, or on another machine.
 *
 * A table is text compressed by gzip, in the same format on every machine. It has the source of the
 * symbols, the segments, which map file offsets to addresses, and a line for each symbol
 * (doc/symbol-tables.md). Sizes are limited; a truncated file is refused.
 */
#ifndef PP_IMAGE_KEPT_TABLE_H
#define PP_IMAGE_KEPT_TABLE_H

#include <stdbool.h>

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/plt.h"

struct pp_kept_table {
	/* ELF machine and segments of the binary; the other members of the struct are unused */
	struct pp_elf elf;
	bool has_text;
	uint64_t text_vma;
	struct pp_symtab symtab;
	char *text;		/* the uncompressed table; the symbols' names point into it */
	const char *from;	/* source of the symbols, as in struct pp_elf_symtab; or NULL */
};

/* Write the table to @fd at its current offset. PLT stubs become symbols. Return 0, -EFBIG or
 * another negative errno. */
int pp_kept_table_write(int fd, const struct pp_elf *elf, const struct pp_elf_symtab *symtab,
			const struct pp_plt *plt);
/* Read a table from @fd, which the caller closes. Return 0, -ENOMEM, or -ENOEXEC if the file is not
 * a complete table. */
int pp_kept_table_read(struct pp_kept_table *ret, int fd);
void pp_kept_table_release(struct pp_kept_table *table);

#endif
