/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h -- locating code that the user has named as unsafe, by function or file, in loaded
 * modules.
 */
#ifndef PROBE_NAMED_H
#define PROBE_NAMED_H

#include "libop/raw/probe_words.h"
#include "probe/unsafe.h"

struct named {
	const struct raw_probe_words *words;
	struct unsafe *unsafe;
	uint32_t *met;			/* atomic: bit mask of the names already reported */
};

/* Make the named code of file @path, mapped from @start to @end, unsafe. @loaded_at: the offset of
 * its addresses. A function is a symbol with a size in the file's symbol table. If the file has
 * changed since it was loaded, no function is found. For handlers. */
void named_find(const struct named *named, const char *path, uint64_t start, uint64_t end,
		uint64_t loaded_at);

#endif
