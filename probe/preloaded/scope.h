/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope.h -- which functions the program finds by their names, and in which module.
 *
 * A library that was preloaded stands before those that it stands in for: dlsym(RTLD_NEXT) is what it wants. One that was loaded into
 * a running program is behind all of them, and is found by nobody; what it stands in for is what the program found without it. dlsym()
 * would say so, but for a program that is not position independent: that has a place of its own where functions seem to be which it
 * takes the address of, and which goes on to whatever its own table of imports says, so to us when we have written there.
 */
#ifndef PROBE_PRELOADED_SCOPE_H
#define PROBE_PRELOADED_SCOPE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module as it lies in memory. */
struct scope_module {
	uint64_t base;			/* what the loader adds to addresses in the file */
	uint64_t start, end;
	uint64_t readonly, readonly_end;	/* what the loader has made so, in whole pages */
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;		/* GNU's; NULL: none */
	const uint16_t *versions;	/* NULL: none */
	const char *relocations[2];	/* of imports; NULL: none */
	size_t sizes[2], relative;	/* in bytes, and how many in the first name nothing */
	bool has_addends;
	bool is_symbolic;		/* it finds its own functions first */
};

/* False: it is the loader, the kernel's, or nothing that could be told. */
bool scope_module_read(struct scope_module *ret, uint64_t base, const ElfW(Phdr) *headers, size_t nr);

/* What it defines under the index @i, which others may find, and how it is called; NULL: there is no such symbol. The last is
 * scope_module_last(). */
const ElfW(Sym) *scope_module_export(const struct scope_module *module, uint32_t i, const char **name);
uint32_t scope_module_first(const struct scope_module *module);
uint32_t scope_module_last(const struct scope_module *module);

/* Whether the library that has @own in it was loaded behind the C library. */
bool scope_is_late(const void *own);

/* The function that the program's modules find under @name; 0: none does. */
uint64_t scope_find(const char *name);

#endif
