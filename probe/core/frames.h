/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- call frame information (.eh_frame) of a program that was linked without
 * .eh_frame_hdr, for example by gcc -static.
 */
#ifndef PROBE_CORE_FRAMES_H
#define PROBE_CORE_FRAMES_H

#include <stdint.h>

#include "libcfi/cfi.h"

/*
 * Find .eh_frame by the section headers in the file of the running program. The file's ELF header
 * must equal the ELF header in memory at @loaded. Set *@address to the section's address in the
 * file, and *@size to the section's size. Return 0; -ENOENT if the section does not exist or the
 * file has changed; or another negative errno. Must not be called in signal handlers.
 */
int frames_find(const void *loaded, uint64_t *address, uint64_t *size);

/* Build an index (.eh_frame_hdr) for @section. The index is never freed. Return 0 or a negative
 * errno. Must not be called in signal handlers. */
int frames_index(struct cfi_section *section);

#endif
