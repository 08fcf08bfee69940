/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h -- the symbols of one image with their extents, and the look-up from address to symbol.
 *
 * If an address has several names, the name that a programmer would use is chosen (symtab.c has the
 * order). A symbol with a size covers that many bytes; a symbol without a size, as assemblers make
 * them, covers the addresses up to the next symbol or the end of its section. An inner function
 * splits an outer one. Other addresses have no symbol: they are not attributed to the nearest one.
 */
#ifndef PP_IMAGE_SYMTAB_H
#define PP_IMAGE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pp_symbol_kind {		/* in order of preference */
	PP_SYMBOL_FUNCTION,
	PP_SYMBOL_LABEL,	/* without a type, from assembly code */
	PP_SYMBOL_OBJECT,	/* data in a code section */
};

enum pp_symbol_bind {		/* in order of preference */
	PP_BIND_GLOBAL,
	PP_BIND_LOCAL,
	PP_BIND_WEAK,
	PP_BIND_OLD,		/* an old version, which is not linked any more */
};

struct pp_symbol {
	uint64_t start, end;
	const char *name;	/* raw name, owned by the caller */
	uint64_t limit;		/* end of the section */
	uint8_t kind, bind;
};

struct pp_range {		/* addresses up to the next range's start */
	uint64_t start;
	uint32_t symbol;	/* index, or PP_NO_SYMBOL */
};

#define PP_NO_SYMBOL UINT32_MAX

struct pp_symtab {
	struct pp_symbol *symbols;	/* sorted by start; no two starts are equal */
	size_t nr;
	struct pp_range *ranges;	/* sorted, ascending starts */
	size_t nr_ranges;
	uint32_t *buckets;		/* first range to examine, by (address - base) >> shift */
	size_t nr_buckets;
	uint64_t base;
	unsigned int shift;
};

/* Return whether reports may print the name. Mapping symbols, local labels and the like are not
 * printed. */
bool pp_symbol_name_usable(const char *name);

/*
 * Make a table of @symbols (malloc'd, in any order, .end == .start if the size is unknown). Return
 * 0 and take ownership of @symbols, or -ENOMEM; then the caller still owns them.
 */
int pp_symtab_make(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
/* Like pp_symtab_make(), for the symbols of an earlier table: chosen, sorted, with their ends. */
int pp_symtab_make_sorted(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr);
void pp_symtab_release(struct pp_symtab *symtab);

/* Return the index of the symbol that covers @vma, or PP_NO_SYMBOL. */
uint32_t pp_symtab_lookup(const struct pp_symtab *symtab, uint64_t vma);

#endif
