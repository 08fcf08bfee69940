/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_functions.h -- the functions of a Go program, from the table of its run-time system, which `strip` keeps.
 *
 * The table is the section .gopclntab, .data.rel.ro.gopclntab in a position-independent program, or a part of
 * .data.rel.ro if another linker made that program. The formats of Go 1.2, 1.16, 1.18 and 1.20 are known.
 *
 * The file is not trusted. Memory and time are at most proportional to the size of the table, which is limited.
 */
#ifndef PP_IMAGE_GO_FUNCTIONS_H
#define PP_IMAGE_GO_FUNCTIONS_H

#include "pp/image/elf.h"

struct pp_go_function {
	uint64_t start, end;
	uint32_t name;		/* offset into the names */
};

struct pp_go_functions {
	struct pp_go_function *items;	/* by address, without overlaps */
	size_t nr;
	char *names;
};

/* Read the table of @elf. -ENOENT: there is no table, or it is damaged; -ENOMEM. */
int pp_go_functions_read(struct pp_go_functions *ret, const struct pp_elf *elf);
void pp_go_functions_release(struct pp_go_functions *functions);

#endif
