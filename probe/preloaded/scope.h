/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope.h -- symbols of loaded modules, and lookup of the real functions that the probe replaces.
 *
 * A preloaded library precedes the libraries whose functions it replaces in the search order, so
 * dlsym(RTLD_NEXT) finds the real functions. A library that is loaded into a running program is
 * last in the search order, and its symbols are not visible to other modules; then the real
 * function is the one that the program finds by name. dlsym() usually returns this function. But in
 * a program that is not position independent, dlsym() may return the address of a stub in the
 * program. The stub jumps through the program's import, which leads to the replacement once the
 * import is redirected.
 */
#ifndef PROBE_PRELOADED_SCOPE_H
#define PROBE_PRELOADED_SCOPE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded module: its symbols and relocations. */
struct scope_module {
	/* load bias: the difference between loaded addresses and addresses in the file */
	uint64_t base;
	uint64_t start, end;
	/* page-aligned range that the dynamic loader makes read-only after relocation */
	uint64_t readonly, readonly_end;
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;		/* GNU hash table of symbols; NULL: the module has none */
	/* versions of the symbols; NULL: symbols have no versions */
	const uint16_t *versions;
	/* tables of the relocations for imported functions; NULL: no table */
	const char *relocations[2];
	/* .sizes: sizes of .relocations in bytes; .relative: number of relocations without a
	 * symbol. These are at the start of the first table */
	size_t sizes[2], relative;
	bool has_addends;
	/* whether the library was linked by -Bsymbolic: it then uses its own functions first */
	bool is_symbolic;
};

/* Read the module with load bias @base and @nr program headers. Return false for the dynamic
 * loader, the vDSO, or a module that cannot be read. */
bool scope_module_read(struct scope_module *ret, uint64_t base, const ElfW(Phdr) * headers,
		       size_t nr);

/* Return the function with symbol index @i, from scope_module_first() to scope_module_last(), and
 * store its name. Return NULL if the module does not export a function with this index. */
const ElfW(Sym) *
	scope_module_export(const struct scope_module *module, uint32_t i, const char **name);
uint32_t scope_module_first(const struct scope_module *module);
uint32_t scope_module_last(const struct scope_module *module);

/* Return whether the library that contains @own was loaded into a running program instead of
 * preloaded: it follows the C library in the list of modules. */
bool scope_is_late(const void *own);

/* Return the address of the function that the program finds by @name, or 0. */
uint64_t scope_find(const char *name);

#endif
