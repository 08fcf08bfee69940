/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imports.h -- in a program that was not begun with us, its modules call what we stand in for.
 *
 * The loader writes into a table of each module where the functions are that it imports. Where that is the function which the program
 * finds by the name, ours takes its place, and it is put back when no more is counted. A module that has found one of these in another
 * place keeps all: it may allocate in another way than it frees. What was asked for by dlsym() is not in a table.
 */
#ifndef PROBE_PRELOADED_IMPORTS_H
#define PROBE_PRELOADED_IMPORTS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* What the library stands in for, which has @own in it and was loaded late: from imports_take() on. More than once is no harm. */
void imports_add(const void *own);

/* All modules' imports are ours from now on, or the program's again. */
void imports_take(void);
void imports_give_back(void);

/* A module has come. For handlers. */
void imports_module_comes(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

#endif
