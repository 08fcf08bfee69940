/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlines.h -- the functions of one compilation unit, and those inlined into them.
 */
#ifndef PP_IMAGE_INLINES_H
#define PP_IMAGE_INLINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>


/* A function at run time, or one inlined into it. */
struct pp_scope {
	const char *function;	/* linkage name if it has one; NULL: nameless */
	const char *call_file;	/* of the call that was inlined */
	uint32_t call_line;
	uint32_t parent;	/* index into the same array, or PP_NO_SCOPE */
};

#define PP_NO_SCOPE	UINT32_MAX

struct pp_scope_range {		/* up to the next one's start */
	uint64_t start;
	uint32_t scope;		/* innermost, or PP_NO_SCOPE */
};

struct pp_function {		/* one range of a function; one split in two is there twice */
	uint64_t start, end;
	Dwarf_Die die;
	/* read when asked for */
	int is_read;
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

/* What reading may cost, for a whole debug file. */
struct pp_budget {
	uint64_t dies;		/* that may still be looked at */
	uint64_t ranges;
};

/* Find the functions of the unit @cudie. @files is the unit with the names of its files: @cudie, or
 * its skeleton if the unit was split off. Return 0 or -ENOMEM. Damage or an exhausted budget ends
 * the list early. */
int pp_functions_read(struct pp_functions *ret, Dwarf_Die *cudie, Dwarf_Die *files, int version,
		      struct pp_budget *budget);
/* Takes a zeroed struct. */
void pp_functions_release(struct pp_functions *functions);

/* The scopes around @vma, innermost first, at most @max indices; *@ret_scopes is what they
 * index. */
unsigned int pp_functions_scopes(struct pp_functions *functions, uint64_t vma,
				 struct pp_budget *budget, const struct pp_scope **ret_scopes,
				 uint32_t *indices, unsigned int max);

#endif
