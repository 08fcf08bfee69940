/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_functions.h -- lookup of functions in Go's section .gopclntab.
 *
 * The section has the functions' names, and a flag (TOPFRAME) for functions that start a thread,
 * the program or a goroutine. Go's own traceback ends at functions with this flag. The formats of
 * Go 1.18 and 1.20 are supported.
 */
#ifndef LIBCFI_GO_FUNCTIONS_H
#define LIBCFI_GO_FUNCTIONS_H

#include <stdbool.h>

#include "libcfi/elf.h"

struct cfi_go_functions {
	/* the table of functions: its offset in the file, and its size in bytes */
	__u64 table, size;
	/* start address of the code; the table contains offsets of functions relative to it */
	__u64 text;
	/* offset of the index in the table; the index consists of pairs: the offset of a function,
	 * and the offset of the function's description */
	__u64 index;
	/* number of pairs in the index; 0: the file has no readable table */
	__u64 nr;
	__u64 names;		/* offset of the functions' names in Go's table */
	unsigned int flags;	/* offset of the flags byte in a function's description */
};

/* Find the table of functions in @elf, and set *@functions. */
void cfi_go_functions_open(struct cfi_go_functions *functions, const struct cfi_elf *elf);
/* Initialize *@functions from the table in @section. @text: start address of the code, for
 * tables that do not contain this address; 0: unknown. Declared for tests. */
void cfi_go_functions_read(struct cfi_go_functions *functions, const struct cfi_elf *elf,
			   const struct cfi_elf_section *section, __u64 text);

/* Return whether Go marks the function that starts at @address as outermost. */
bool cfi_go_is_outermost(const struct cfi_go_functions *functions, const struct cfi_elf *elf,
			 __u64 address);
/* Return whether the function that starts at @address is called @name. */
bool cfi_go_has_name(const struct cfi_go_functions *functions, const struct cfi_elf *elf,
		     __u64 address, const char *name);

#endif
