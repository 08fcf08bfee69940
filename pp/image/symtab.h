/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h -- the symbols of one image with their extents, and the look-up from address to symbol.
 *
 * If an address has several names, the name that a programmer would use is chosen (symtab.c has the
 * order). A symbol with a size covers that many bytes; a symbol without a size, as assemblers make
 * them, covers the addresses up to the next symbol or the end of its section. A symbol inside an
 * outer symbol splits the outer symbol's range. Addresses outside of all symbols are not attributed
 * to the nearest symbol.
 */
#ifndef PP_IMAGE_SYMTAB_H
#define PP_IMAGE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pp_symbol_kind {		/* Kinds of symbols, from the most to the least preferred kind. */
	PP_SYMBOL_FUNCTION,
	PP_SYMBOL_LABEL,	/* kind of symbol: without a type, from assembly code */
	PP_SYMBOL_OBJECT,	/* kind of symbol: a data object in a code section */
};

/* Bindings of symbols, from the most to the least preferred binding. */
enum pp_symbol_bind {
	PP_BIND_GLOBAL,
	PP_BIND_LOCAL,
	PP_BIND_WEAK,
	PP_BIND_OLD, /* old version of a symbol, with which linkers do not link any more */
};

struct pp_symbol {
	uint64_t start, end;
	const char *name;	/* name before demangling; the caller owns it */
	uint64_t limit;		/* end address of the section that contains the symbol */
	uint8_t kind, bind;
};

/* The addresses from .start up to the start of the next range. */
struct pp_symbol_range {
	uint64_t start;
	uint32_t symbol;	/* index of the symbol that covers the addresses, or PP_NO_SYMBOL */
};

#define PP_NO_SYMBOL UINT32_MAX

struct pp_symtab {
	/* symbols, in ascending order of start address; no two starts are equal */
	struct pp_symbol *symbols;
	size_t nr;
	struct pp_symbol_range *ranges;	/* ranges, in ascending order of start address */
	size_t nr_ranges;
	/* index of the first range to examine, indexed by (address - base) >> shift */
	uint32_t *buckets;
	size_t nr_buckets;
	uint64_t base;
	unsigned int shift;
};

/* Return whether reports may print the name. Reports do not print names of mapping symbols and
 * local labels. */
bool pp_symbol_name_usable(const char *name);

/*
 * Make a table of @symbols (malloc'd, in any order, .end == .start if the size is unknown). Return
 * 0 and take ownership of @symbols, or -ENOMEM; after -ENOMEM the caller still owns @symbols.
 */
int pp_symtab_make(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
/* Like pp_symtab_make(), for the symbols of a table that pp_symtab_make() made, which are already
 * selected and sorted and have ends. */
int pp_symtab_make_sorted(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
void pp_symtab_release(struct pp_symtab *symtab);

/* Return the index of the symbol that covers @vma, or PP_NO_SYMBOL. */
uint32_t pp_symtab_lookup(const struct pp_symtab *symtab, uint64_t vma);

#endif
