/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h -- start addresses of functions, for rounding the addresses of an interval (merge.h).
 * The addresses are read from stored symbol tables (doc/symbol-tables.md) and from the kernel
 * symbols in the store.
 */
#ifndef ITV_SYMBOLS_H
#define ITV_SYMBOLS_H

#include "intervals/merge.h"

struct itv_symbols;

/*
 * Prepare the symbols for intervals of the store @dirfd (DIR/samples/.intervals) that were recorded
 * on the kernel @kernel. The caller keeps @dirfd open. The symbols of an image are read on first
 * use and cached until itv_symbols_close(). Addresses in an image without a symbol table are not
 * rounded. Addresses between two functions are rounded to blocks that do not overlap a function.
 * Return 0 or -ENOMEM.
 */
int itv_symbols_open(struct itv_symbols **ret, int dirfd, uint32_t kernel);
void itv_symbols_close(struct itv_symbols *s);	/* @s may be NULL */

/* Return the callback that rounds addresses for itv_fold_addresses(). It is valid until
 * itv_symbols_close(). */
struct itv_places itv_symbols_places(struct itv_symbols *s);

#endif
