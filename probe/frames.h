/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- the call frame information of a program that was linked without an index of it: gcc -static asks for none.
 */
#ifndef PROBE_FRAMES_H
#define PROBE_FRAMES_H

#include <stdint.h>

#include "libcfi/cfi.h"

/* Where .eh_frame is by the sections of the running program's file, which has to begin as what is loaded at @loaded does: an address
 * in the file. -ENOENT: there is none, or it is another file; other negative errno. */
int frames_find(const void *loaded, uint64_t *address, uint64_t *size);

/* Gives it an index, which stays. 0 or negative errno. Neither is for handlers. */
int frames_index(struct cfi_section *section);

#endif
