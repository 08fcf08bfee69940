/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h -- functions that depend on how the probe is in the program: as a preloaded library
 * (preloaded/), or linked into a static program (linked/). The core gets them as a table.
 */
#ifndef PROBE_CORE_PLACE_H
#define PROBE_CORE_PLACE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct epochs;
struct run;

struct place {
	/* Store the address range of the probe's code. Return false if it is unknown. */
	bool (*find_code)(const struct epochs *epochs, uint64_t *start, uint64_t *end);
	/* Report options of $OPPROBE that are not supported with this way of loading. */
	void (*check)(const struct run *run);
	/* Handle a module that was loaded after the first epoch (epoch.h). May be called in signal
	 * handlers. */
	void (*module_loaded)(uint64_t base, const ElfW(Phdr) *headers, size_t nr);
	/* opprobe_start() may start the probe if $OPPROBE is not set */
	bool starts_by_call;
};

extern const struct place place;

#endif
