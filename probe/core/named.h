/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h -- search of loaded modules for code that the user named as unsafe to sample, by function
 * or file.
 */
#ifndef PROBE_CORE_NAMED_H
#define PROBE_CORE_NAMED_H

#include "libop/raw/probe_words.h"
#include "probe/core/unsafe.h"

struct named {
	const struct raw_probe_words *words;
	struct unsafe *unsafe;
	/* bit mask of the user's names for which this process has found and reported code;
	 * atomic */
	uint32_t *met;
};

/*
 * Search the file @path for code that the user named, and add this code to the unsafe code
 * (unsafe.h). The module of the file is in memory from @start to @end, with load bias @loaded_at.
 * Functions are looked up in the file's symbol table, and must have a size there. If the file was
 * changed after it was loaded, no code is found. May be called in signal handlers.
 */
void named_find(const struct named *named, const char *path, uint64_t start, uint64_t end,
		uint64_t loaded_at);

#endif
