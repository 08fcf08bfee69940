/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlines.h -- the functions of one compilation unit, and the functions that are inlined into them.
 */
#ifndef PP_IMAGE_INLINES_H
#define PP_IMAGE_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* A function, or a call of a function that the compiler inlined into another function. */
struct pp_scope {
	/* linkage name, or the plain name if there is no linkage name; NULL: nameless */
	const char *function;
	const char *call_file;	/* name of the source file that contains the inlined call */
	uint32_t call_line, call_discriminator;
	uint32_t start_line;	/* line of the function's declaration; 0: unknown */
	uint32_t parent;	/* index of the outer scope in the same array; PP_NO_SCOPE: none */
};

#define PP_NO_SCOPE	UINT32_MAX

struct pp_scope_range {		/* the addresses up to the start of the next range */
	uint64_t start;
	/* index of the innermost scope of the addresses; PP_NO_SCOPE: none */
	uint32_t scope;
};

/* A range of addresses of a function. A function that the compiler has split has several ranges. */
struct pp_function {
	uint64_t start, end;
	Dwarf_Die die;
	/* whether the following members were read, which is done at their first use */
	bool is_read;
	struct pp_scope *scopes;
	size_t nr_scopes;
	struct pp_scope_range *ranges;
	size_t nr_ranges;
};

struct pp_functions {
	Dwarf_Files *files;	/* files of the unit, for the names of call files */
	int version;		/* DWARF version of the unit */
	struct pp_function *items;	/* functions, in ascending order of start address */
	size_t nr;
};

/* The work that may still be done for a debug file. */
struct pp_budget {
	uint64_t dies;		/* number of DIEs that may still be read */
	uint64_t ranges;
};

/* Find the functions of the unit @cudie. @files is the unit with the names of source files: @cudie,
 * or the skeleton unit if @cudie is a split unit. Return 0 or -ENOMEM. Damaged data or an exhausted
 * budget ends the list early. */
int pp_functions_read(struct pp_functions *ret, Dwarf_Die *cudie, Dwarf_Die *files, int version,
		      struct pp_budget *budget);
/* Release the functions. Accepts a zeroed struct. */
void pp_functions_release(struct pp_functions *functions);

/* Get the indices of up to @max scopes around @vma, innermost first, into the array *@ret_scopes.
 * Return their number. */
unsigned int pp_functions_scopes(struct pp_functions *functions, uint64_t vma,
				 struct pp_budget *budget, const struct pp_scope **ret_scopes,
				 uint32_t *indices, unsigned int max);

#endif
