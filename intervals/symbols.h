/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h -- the beginnings of functions of an interval's images, by which its addresses become
 * coarser (merge.h). They come from the kept symbol tables (doc/symbol-tables.md) and from the
 * store's kernel symbols.
 */
#ifndef ITV_SYMBOLS_H
#define ITV_SYMBOLS_H

#include "intervals/merge.h"

struct itv_symbols;

/*
 * Prepare the symbols for intervals of the store @dirfd (DIR/samples/.intervals) that were taken
 * with the kernel @kernel. @dirfd must stay open. An image's symbols are read at the first address
 * of the image and stay in memory until itv_symbols_close(). An address in an image without a
 * table stays as it is. Between two functions of a binary, addresses become those of blocks, which
 * do not reach into a function. Return 0 or -ENOMEM.
 */
int itv_symbols_open(struct itv_symbols **ret, int dirfd, uint32_t kernel);
void itv_symbols_close(struct itv_symbols *s);	/* @s may be NULL */

/* Return the functions for itv_fold_addresses(). They are valid until itv_symbols_close(). */
struct itv_places itv_symbols_places(struct itv_symbols *s);

#endif
