/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- call frame information of a program that was linked without an index for it, as by
 * gcc -static.
 */
#ifndef PROBE_FRAMES_H
#define PROBE_FRAMES_H

#include <stdint.h>

#include "libcfi/cfi.h"

/* Find .eh_frame by the section headers of the running program's file, whose beginning must equal
 * the memory at @loaded. Store its address in the file. Return 0, -ENOENT if there is no such
 * section or the file is another one, or another negative errno. Not for handlers. */
int frames_find(const void *loaded, uint64_t *address, uint64_t *size);

/* Give the section an index, which is never freed. Return 0 or a negative errno. Not for
 * handlers. */
int frames_index(struct cfi_section *section);

#endif
