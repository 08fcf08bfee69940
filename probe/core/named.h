/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h -- finding code that the user named as unsafe to sample, by function or file, in loaded
 * modules.
 */
#ifndef PROBE_CORE_NAMED_H
#define PROBE_CORE_NAMED_H

#include "libop/raw/probe_words.h"
#include "probe/core/unsafe.h"

struct named {
	const struct raw_probe_words *words;
	struct unsafe *unsafe;
	/* atomic: bit mask of the names that this process has reported */
	uint32_t *met;
};

/* Add the code that the user named, if it is in the file @path, to the unsafe code (unsafe.h). The
 * file is mapped from @start to @end with load bias @loaded_at. Functions are found by the file's
 * symbol table and must have a size. If the file has changed since it was loaded, no function is
 * found. May be called in signal handlers. */
void named_find(const struct named *named, const char *path, uint64_t start, uint64_t end,
		uint64_t loaded_at);

#endif
