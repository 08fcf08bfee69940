/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imports.h -- redirection of imports in a running program to the probe's replacements of
 * functions.
 *
 * The dynamic loader stores the addresses of imported functions in a table of each module. If an
 * entry points to the function that the program finds by the entry's name, the probe changes the
 * entry to point to the replacement, and restores it when counting stops. If any entry of a module
 * points to a different function, the probe does not change the module: otherwise the module could
 * allocate with one allocator and free with another. Addresses that dlsym() has returned to the
 * program are not redirected.
 */
#ifndef PROBE_PRELOADED_IMPORTS_H
#define PROBE_PRELOADED_IMPORTS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Register the functions of the library that contains @own as replacements for imports_redirect(),
 * if the library was loaded late (scope_is_late()). Idempotent. */
void imports_add(const void *own);

/* imports_redirect() redirects the imports of all modules to the registered replacements.
 * imports_restore() restores the imports. */
void imports_redirect(void);
void imports_restore(void);

/* Redirect the imports of a newly loaded module. May be called in signal handlers. */
void imports_module_loaded(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

#endif
