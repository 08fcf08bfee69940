// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c -- the probe as a shared library, which is preloaded or loaded later.
 */
#include "config.h"
#include "probe/core/run.h"

#include "probe/core/epoch.h"
#include "probe/preloaded/imports.h"

static bool find_code(const struct epochs *epochs, uint64_t *start, uint64_t *end)
{
	const struct epoch_module *own = epoch_find(epochs->now, (uintptr_t)find_code);

	if (!own)
		return false;
	*start = own->start;
	*end = own->end;
	return true;
}

static void check(const struct run *run)
{
	(void)run;
}

const struct place place = {
	.find_code = find_code,
	.check = check,
	.module_loaded = imports_module_loaded,
	/* A program run by opprobe(1) may start another program without $OPPROBE: then the library
	 * is preloaded but must not count. */
	.starts_by_call = false,
};
