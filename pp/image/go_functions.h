/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_functions.h -- the functions of a Go program, from the table of its run-time system
 * (go_table.h).
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

/* Read the table of @elf. Return 0, -ENOENT if there is no table or it is damaged, or -ENOMEM. */
int pp_go_functions_read(struct pp_go_functions *ret, const struct pp_elf *elf);
void pp_go_functions_release(struct pp_go_functions *functions);

#endif
