/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nm_search.h -- binary search for the symbol at an address in the output of `nm -n`.
 *
 * The lines are sorted by address. Each step of the search reads the line in the middle of the
 * remaining range of bytes, so about log2(bytes / line length) lines are read.
 */
#ifndef UTILS_ADDR2FUNC_NM_SEARCH_H
#define UTILS_ADDR2FUNC_NM_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

/* The output of `nm -n` in a file, which is read in small blocks. If the file is truncated during
 * the search, the search treats the new size as the end of the list. */
struct nm_text {
	raw_read_fn read;
	void *arg;
	uint64_t len;
	size_t looked;		/* number of lines that searches have read, for measurements */
};

/* Find the last symbol with an address of at most @pc. Store at most @size bytes of its name in
 * @name, without a NUL. Return the length of the stored name, or 0 if all symbols are above @pc. */
size_t nm_search(struct nm_text *text, uint64_t pc, char *name, size_t size);

#endif
