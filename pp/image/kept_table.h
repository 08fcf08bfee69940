/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_table.h -- the symbol table of a binary in a file of its own, so that samples have names
 * when the binary is gone, was built anew, or is on another machine.
 *
 * Text in gzip, the same on every machine: what the table was made from, the segments, which lead
 * from a file offset to an address, and a line for each symbol (doc/symbol-tables.md). Read and
 * written with bounds; a file that was cut off counts as none.
 */
#ifndef PP_IMAGE_KEPT_TABLE_H
#define PP_IMAGE_KEPT_TABLE_H

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/plt.h"

struct pp_kept_table {
	struct pp_elf elf;	/* machine and segments; no file */
	int has_text;
	uint64_t text_vma;
	struct pp_symtab symtab;
	char *text;		/* names and the rest */
	const char *from;	/* as of struct pp_elf_symtab, NULL: none */
};

/* Into @fd, from its offset on. The PLT's symbols are written as symbols. -EFBIG, or -errno. */
int pp_kept_table_write(int fd, const struct pp_elf *elf, const struct pp_elf_symtab *symtab,
			const struct pp_plt *plt);
/* @fd stays the caller's. -ENOEXEC: not one, damaged or cut off; -ENOMEM. */
int pp_kept_table_read(struct pp_kept_table *ret, int fd);
void pp_kept_table_release(struct pp_kept_table *table);

#endif
