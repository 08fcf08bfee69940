/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nm_search.h -- the symbol at an address, in the text that `nm -n` prints, without reading it all.
 *
 * The lines are sorted by address, so the place is halved by bytes: from the middle of what is left
 * to the next line's beginning. That is a binary search over lines of any length, which looks at
 * about log2(bytes / line) of them.
 */
#ifndef UTILS_ADDR2FUNC_NM_SEARCH_H
#define UTILS_ADDR2FUNC_NM_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

/* The text, read in pieces: one that is cut off meanwhile ends there. */
struct nm_text {
	raw_read_fn read;
	void *arg;
	uint64_t len;
	size_t looked;		/* lines that were looked at, for whoever measures */
};

/* The last line whose address is not above @pc, and which is not of a symbol without one: its
 * name, up to @size bytes of it, and how many these are. 0: all are above. */
size_t nm_search(struct nm_text *text, uint64_t pc, char *name, size_t size);

#endif
