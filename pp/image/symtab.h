/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h -- the symbols of one image, chosen and given extents, and the look-up from address to
 * symbol.
 *
 * Of several names for one address the one a programmer would use wins (symtab.c has the order). A
 * symbol with a size covers that much; one without, as assemblers leave them, reaches up to the
 * next symbol or the end of its section. An inner function splits an outer one. Addresses that no
 * symbol covers belong to none: they are not given to the nearest neighbour.
 */
#ifndef PP_IMAGE_SYMTAB_H
#define PP_IMAGE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pp_symbol_kind {		/* in order of preference */
	PP_SYMBOL_FUNCTION,
	PP_SYMBOL_LABEL,	/* no type: assembler's */
	PP_SYMBOL_OBJECT,	/* data in a code section */
};

enum pp_symbol_bind {		/* in order of preference */
	PP_BIND_GLOBAL,
	PP_BIND_LOCAL,
	PP_BIND_WEAK,
	PP_BIND_OLD,		/* of a version that nothing new is linked with */
};

struct pp_symbol {
	uint64_t start, end;
	const char *name;	/* raw; the caller keeps the string */
	uint64_t limit;		/* end of the section */
	uint8_t kind, bind;
};

struct pp_range {		/* of addresses up to the next range's start */
	uint64_t start;
	uint32_t symbol;	/* index, or PP_NO_SYMBOL */
};

#define PP_NO_SYMBOL UINT32_MAX

struct pp_symtab {
	struct pp_symbol *symbols;	/* sorted by start; no two starts are equal */
	size_t nr;
	struct pp_range *ranges;	/* sorted, ascending starts */
	size_t nr_ranges;
	uint32_t *buckets;		/* first range to look at, by (address - base) >> shift */
	size_t nr_buckets;
	uint64_t base;
	unsigned int shift;
};

/* Is this a name a report may show? Mapping symbols, local labels and the like are not. */
bool pp_symbol_name_usable(const char *name);

/*
 * Takes over @symbols (malloc'd, any order, .end == .start when the size is not known). 0 or
 * -ENOMEM; then @symbols is still the caller's.
 */
int pp_symtab_make(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
/* The same from symbols that one such table had: chosen, in order, with their ends. */
int pp_symtab_make_sorted(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
void pp_symtab_release(struct pp_symtab *symtab);

/* Index of the symbol covering @vma, or PP_NO_SYMBOL. */
uint32_t pp_symtab_lookup(const struct pp_symtab *symtab, uint64_t vma);

#endif
