/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlines.h -- the functions of a compilation unit, and the functions inlined into them.
 */
#ifndef PP_IMAGE_INLINES_H
#define PP_IMAGE_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* A function, or an inlined call of a function. */
struct pp_scope {
	/* linkage name, or the plain name without a linkage name; NULL: no name */
	const char *function;
	const char *call_file;	/* name of the source file that contains the inlined call */
	uint32_t call_line, call_discriminator;
	uint32_t start_line;	/* line of the function's declaration; 0: unknown */
	/* index of the enclosing scope in the array of scopes; PP_NO_SCOPE: no enclosing scope */
	uint32_t parent;
};

#define PP_NO_SCOPE	UINT32_MAX

struct pp_scope_range { /* A range of addresses, which ends at the start of the next range. */
	uint64_t start;
	/* index of the innermost scope at these addresses; PP_NO_SCOPE: no scope contains them */
	uint32_t scope;
};

/* An address range of a function. A function that the compiler split has several ranges. */
struct pp_function {
	uint64_t start, end;
	Dwarf_Die die;
	/* the members below are valid, because they are read at the first lookup in the function */
	bool is_read;
	struct pp_scope *scopes;
	size_t nr_scopes;
	struct pp_scope_range *ranges;
	size_t nr_ranges;
};

struct pp_functions {
	/* source files of the compilation unit, to which call_file numbers refer */
	Dwarf_Files *files;
	int version;		/* DWARF version of the compilation unit */
	struct pp_function *items; /* functions of the compilation unit, sorted by start address */
	size_t nr;
};

/* Limits on the work for all units of one file with debug data. */
struct pp_budget {
	uint64_t dies; /* number of DIEs (debugging entries) that may still be read from the file */
	uint64_t ranges;
};

/* Find the functions of the unit @cudie. @files: the unit that names the source files: @cudie, or
 * the skeleton unit if @cudie is a split unit. Return 0 or -ENOMEM. The list is incomplete if the
 * data is damaged or the budget is exhausted. */
int pp_functions_read(struct pp_functions *ret, Dwarf_Die *cudie, Dwarf_Die *files, int version,
		      struct pp_budget *budget);
/* Free the contents of @functions, which may be zeroed. */
void pp_functions_release(struct pp_functions *functions);

/* Store the indices of at most @max scopes around @vma in the array *@ret_scopes, innermost scope
 * first. Return the number of stored scopes. */
unsigned int pp_functions_scopes(struct pp_functions *functions, uint64_t vma,
				 struct pp_budget *budget, const struct pp_scope **ret_scopes,
				 uint32_t *indices, unsigned int max);

#endif
