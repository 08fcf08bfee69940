/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h -- names for the stubs through which a program calls its libraries: "puts@plt". They have
 * no symbols of their own; libbfd makes them up from the relocations.
 */
#ifndef PP_IMAGE_PLT_H
#define PP_IMAGE_PLT_H

#include "pp/image/elf.h"
#include "pp/image/symtab.h"

struct pp_plt {
	struct pp_symtab symtab;
	char *names;
};

/* The addresses between the first and the last section of such stubs; 0, 0 when there is none. */
void pp_plt_bounds(const struct pp_elf *elf, uint64_t *start, uint64_t *end);

/* 0 also when libbfd knows no names for this machine: then the table is empty. -ENOMEM. @name: of
 * the file, for messages of libbfd's. */
int pp_plt_read(struct pp_plt *ret, const struct pp_elf *elf, const char *name);
void pp_plt_release(struct pp_plt *plt);

#endif
