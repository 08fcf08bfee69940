/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h -- how the probe came into the program: as a preloaded library (preloaded/), or linked
 * into a static program (linked/).
 */
#ifndef PROBE_PLACE_H
#define PROBE_PLACE_H

#include <link.h>
#include <stdbool.h>

#include "probe/epoch.h"

struct run;

/* Find the range of our own code. */
bool place_code(const struct epochs *epochs, uint64_t *start, uint64_t *end);

/* Report the words that cannot be followed with this way of loading. */
void place_check(const struct run *run);

/* Handle a module that was loaded after the first epoch. For handlers. */
void place_module_comes(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

/* Return whether opprobe_start() begins counting if $OPPROBE is not set. */
bool place_begins(void);

#endif
