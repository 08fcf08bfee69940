/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imports.h -- redirecting the imports of a running program's modules to the probe's replacements
 * of functions.
 *
 * The dynamic loader stores the addresses of imported functions in a table of each module. If an
 * entry has the function that the program finds by the entry's name, the entry is changed to the
 * replacement; it is restored when counting stops. If a single entry of a module has a different
 * function, the whole module is left unchanged: it could otherwise allocate by one allocator and
 * free by another. Addresses that dlsym() has returned to the program are not redirected.
 */
#ifndef PROBE_PRELOADED_IMPORTS_H
#define PROBE_PRELOADED_IMPORTS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Register the functions of the library that contains @own, if it was loaded late
 * (scope_is_late()), as replacements for imports_redirect(). Idempotent. */
void imports_add(const void *own);

/* Redirect the imports of all modules with imports_redirect(); restore them with
 * imports_give_back(). */
void imports_redirect(void);
void imports_give_back(void);

/* Redirect the imports of a newly loaded module. May be called in signal handlers. */
void imports_module_loaded(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

#endif
