/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h -- how the probe has come into the program: as a library that is preloaded (preloaded/), or linked into a static one
 * (linked/).
 */
#ifndef PROBE_PLACE_H
#define PROBE_PLACE_H

#include <link.h>
#include <stdbool.h>

#include "probe/epoch.h"

struct run;

/* Where our own code is. */
bool place_code(const struct epochs *epochs, uint64_t *start, uint64_t *end);

/* What of its words cannot be here is told. */
void place_check(const struct run *run);

/* A module that was not there when it began. For handlers. */
void place_module_comes(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

/* Whether opprobe_start() begins where $OPPROBE asks for nothing. */
bool place_begins(void);

#endif
