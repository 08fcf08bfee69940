// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c -- the probe as a shared library, which is preloaded or loaded later.
 */
#include "config.h"
#include "probe/place.h"

#include "probe/preloaded/imports.h"

bool place_code(const struct epochs *epochs, uint64_t *start, uint64_t *end)
{
	const struct epoch_module *own = epoch_find(epochs->now, (uintptr_t)place_code);

	if (!own)
		return false;
	*start = own->start;
	*end = own->end;
	return true;
}

void place_check(const struct run *run)
{
	(void)run;
}

/* A program that opprobe(1) runs may start another program without $OPPROBE: then the library is
 * preloaded but must not count. */
bool place_begins(void)
{
	return false;
}

void place_module_comes(uint64_t base, const ElfW(Phdr) *headers, size_t nr)
{
	imports_module_comes(base, headers, nr);
}
