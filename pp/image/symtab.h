/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h -- the symbols of one image with their extents, and lookup of addresses.
 *
 * If an address has several symbols, the name that a programmer would use is chosen (symtab.c has
 * the criteria). A symbol with a size covers that many bytes. A symbol without a size, as in
 * assembly code, extends to the next symbol or to the end of its section. A symbol inside an outer
 * symbol splits the outer symbol's range. Addresses outside all symbols are not attributed to the
 * nearest symbol.
 */
#ifndef PP_IMAGE_SYMTAB_H
#define PP_IMAGE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pp_symbol_kind {		/* Kinds of symbols, in the order of preference. */
	PP_SYMBOL_FUNCTION,
	PP_SYMBOL_LABEL,	/* a symbol without a type, such as a label in assembly code */
	PP_SYMBOL_OBJECT,	/* a data object in a code section */
};

/* Bindings of symbols, in the order of preference. */
enum pp_symbol_bind {
	PP_BIND_GLOBAL,
	PP_BIND_LOCAL,
	PP_BIND_WEAK,
	PP_BIND_OLD, /* an old version of a symbol, which linkers no longer use */
};

struct pp_symbol {
	uint64_t start, end;
	const char *name;	/* mangled name of the symbol, owned by the caller */
	uint64_t limit;		/* end address of the section that contains the symbol */
	uint8_t kind, bind;
};

/* A range of addresses, from .start up to the start of the next range. */
struct pp_symbol_range {
	uint64_t start;
	uint32_t symbol;	/* index of the symbol that covers the range, or PP_NO_SYMBOL */
};

#define PP_NO_SYMBOL UINT32_MAX

struct pp_symtab {
	/* selected symbols, sorted by start address, without duplicates */
	struct pp_symbol *symbols;
	size_t nr;
	struct pp_symbol_range *ranges;	/* address ranges of symbols, sorted by start address */
	size_t nr_ranges;
	/* for each bucket of addresses, (address - base) >> shift: index of the first range to
	 * examine */
	uint32_t *buckets;
	size_t nr_buckets;
	uint64_t base;
	unsigned int shift;
};

/* Return whether reports may show the name. Return false for mapping symbols and local labels. */
bool pp_symbol_name_usable(const char *name);

/*
 * Make a table of @symbols, a malloc'd array in any order; .end equals .start if the size is
 * unknown. Return 0: the table now owns @symbols. Return -ENOMEM: the caller still owns @symbols.
 */
int pp_symtab_make(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
/* Like pp_symtab_make(), but for symbols that pp_symtab_make() has already selected and sorted, and
 * whose ends are known. */
int pp_symtab_make_sorted(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
void pp_symtab_release(struct pp_symtab *symtab);

/* Return the index of the symbol that covers @vma, or PP_NO_SYMBOL. */
uint32_t pp_symtab_lookup(const struct pp_symtab *symtab, uint64_t vma);

#endif
