/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt_x86_64.h -- names of PLT stubs of x86-64, from the code of the stubs and the relocations.
 *
 * libbfd makes the same names, but needs memory for each relocation and each dynamic symbol of the
 * file, a few times the size of the symbol table. A large library has a thousand times more
 * relocations than stubs.
 */
#ifndef PP_IMAGE_PLT_X86_64_H
#define PP_IMAGE_PLT_X86_64_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/image/elf.h"
#include "pp/image/symtab.h"

/* Return whether pp_plt_x86_64_read() can read the file. */
bool pp_plt_is_x86_64(const struct pp_elf *elf);
/* Return whether the section contains PLT stubs. */
bool pp_plt_is_section(const struct pp_elf_section *section);

/*
 * Read the stubs of @elf. Return 0, and set *@ret to their symbols, *@nr to the number of symbols,
 * and *@names to the memory of the symbols' names; the caller frees both. A damaged file has fewer
 * or no symbols. Return -ENOMEM without memory.
 */
int pp_plt_x86_64_read(struct pp_symbol **ret, size_t *nr, char **names, const struct pp_elf *elf);

#endif
