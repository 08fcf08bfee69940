/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlines.h -- the functions of one compilation unit, and those inlined into them.
 */
#ifndef PP_IMAGE_INLINES_H
#define PP_IMAGE_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* A function at run time, or a function that is inlined into it. */
struct pp_scope {
	const char *function;	/* linkage name if it has one; NULL: nameless */
	const char *call_file;	/* source file of the inlined call */
	uint32_t call_line;
	uint32_t parent;	/* index into the same array, or PP_NO_SCOPE */
};

#define PP_NO_SCOPE	UINT32_MAX

struct pp_scope_range {		/* up to the start of the next range */
	uint64_t start;
	uint32_t scope;		/* innermost, or PP_NO_SCOPE */
};

struct pp_function {		/* one range of a function; a split function has several */
	uint64_t start, end;
	Dwarf_Die die;
	/* read on first use */
	bool is_read;
	struct pp_scope *scopes;
	size_t nr_scopes;
	struct pp_scope_range *ranges;
	size_t nr_ranges;
};

struct pp_functions {
	Dwarf_Files *files;	/* of the unit: names of call files */
	int version;		/* of DWARF, in the unit */
	struct pp_function *items;	/* by start, ascending */
	size_t nr;
};

/* Limit of the work for a debug file. */
struct pp_budget {
	uint64_t dies;		/* DIEs that may still be read */
	uint64_t ranges;
};

/* Find the functions of the unit @cudie. @files is the unit with the names of its files: @cudie, or
 * its skeleton if the unit was split off. Return 0 or -ENOMEM. Damage or an exhausted budget ends
 * the list early. */
int pp_functions_read(struct pp_functions *ret, Dwarf_Die *cudie, Dwarf_Die *files, int version,
		      struct pp_budget *budget);
/* Takes a zeroed struct. */
void pp_functions_release(struct pp_functions *functions);

/* Get the indices of up to @max scopes around @vma, innermost first, into the array *@ret_scopes.
 * Return their number. */
unsigned int pp_functions_scopes(struct pp_functions *functions, uint64_t vma,
				 struct pp_budget *budget, const struct pp_scope **ret_scopes,
				 uint32_t *indices, unsigned int max);

#endif
