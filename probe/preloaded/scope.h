/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope.h -- the functions and modules that the program finds by name.
 *
 * A preloaded library precedes those whose functions it replaces, so dlsym(RTLD_NEXT) finds the
 * real ones. A library loaded into a running program is last and hidden, and the real function is
 * the one that the program finds without it. dlsym() returns that, except in a program that is not
 * position independent: there a function whose address is taken appears to be at a stub in the
 * program. The stub jumps through the program's own import, which leads to our replacement once
 * that has been redirected.
 */
#ifndef PROBE_PRELOADED_SCOPE_H
#define PROBE_PRELOADED_SCOPE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded module. */
struct scope_module {
	/* the loader's offset, which it adds to addresses in the file */
	uint64_t base;
	uint64_t start, end;
	/* the range that the loader has made read-only, in whole pages */
	uint64_t readonly, readonly_end;
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;		/* GNU's; NULL: none */
	const uint16_t *versions;	/* NULL: none */
	const char *relocations[2];	/* of imports; NULL: none */
	/* size in bytes, and number of leading entries without a name in the first table */
	size_t sizes[2], relative;
	bool has_addends;
	bool is_symbolic;		/* it finds its own functions first */
};

/* Read a module. Return false for the loader, the kernel's module, or one that cannot be read. */
bool scope_module_read(struct scope_module *ret, uint64_t base, const ElfW(Phdr) * headers,
		       size_t nr);

/* Return the exported symbol with index @i and store its name, or return NULL if there is no such
 * symbol. The last index is scope_module_last(). */
const ElfW(Sym) *
	scope_module_export(const struct scope_module *module, uint32_t i, const char **name);
uint32_t scope_module_first(const struct scope_module *module);
uint32_t scope_module_last(const struct scope_module *module);

/* Return whether the library that contains @own was loaded after the C library. */
bool scope_is_late(const void *own);

/* Return the function that the program's modules find under @name, or 0. */
uint64_t scope_find(const char *name);

#endif
