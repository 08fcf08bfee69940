/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h -- code that the user has named as unsafe, by its function or its file: where it is in what is loaded.
 */
#ifndef PROBE_NAMED_H
#define PROBE_NAMED_H

#include "libop/raw/probe_words.h"
#include "probe/unsafe.h"

struct named {
	const struct raw_probe_words *words;
	struct unsafe *unsafe;
	uint32_t *met;			/* atomic: names, as bits, that were told of as met */
};

/*
 * The file @path lies from @start to @end, and what it has in addresses of its own @loaded_at further on: what is named of it is
 * unsafe from now on. A function is what the file's symbol table calls one, whose size it tells; where the file is no more
 * what was loaded, it has none. For handlers.
 */
void named_find(const struct named *named, const char *path, uint64_t start, uint64_t end, uint64_t loaded_at);

#endif
