/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imports.h -- redirecting the imports of a running program's modules to our replacements.
 *
 * The loader stores the addresses of imported functions in a table of each module. An entry with
 * the function that the program finds by that name is replaced by ours, and restored when counting
 * stops. A module with a different function in one entry keeps all of them: it could allocate by
 * one allocator and free by another. Addresses returned by dlsym() are not in such a table.
 */
#ifndef PROBE_PRELOADED_IMPORTS_H
#define PROBE_PRELOADED_IMPORTS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* From imports_take() on, replace the functions of the library that contains @own and was loaded
 * late. Idempotent. */
void imports_add(const void *own);

/* Redirect the imports of all modules, or restore them. */
void imports_take(void);
void imports_give_back(void);

/* Handle a newly loaded module. For handlers. */
void imports_module_comes(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

#endif
