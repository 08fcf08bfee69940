/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h -- names such as "puts@plt" for the PLT stubs through which a program calls libraries.
 * Stubs have no symbols; their names come from relocations. libbfd reads them for other machines
 * than x86-64.
 */
#ifndef PP_IMAGE_PLT_H
#define PP_IMAGE_PLT_H

#include "pp/image/elf.h"
#include "pp/image/symtab.h"

struct pp_plt {
	struct pp_symtab symtab;
	char *names;
};

/* Set *@start and *@end to the range from the first to the last section of PLT stubs. Set both to 0
 * if no such section exists. */
void pp_plt_bounds(const struct pp_elf *elf, uint64_t *start, uint64_t *end);

/* Read the names of the PLT stubs of @elf. @name: file name for libbfd's messages. Return 0, with
 * an empty table if the stubs have no names or the machine is unknown, or -ENOMEM. */
int pp_plt_read(struct pp_plt *ret, const struct pp_elf *elf, const char *name);
void pp_plt_release(struct pp_plt *plt);

#endif
