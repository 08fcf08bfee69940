/* SPDX-License-Identifier: GPL-2.0 */
/*
 * anon.h -- anonymous mappings: memory without a file, or with a file that only the kernel can
 * name.
 */
#ifndef OPROFILE_ANON_H
#define OPROFILE_ANON_H

#include <linux/types.h>

#include "hit.h"

struct vm_area_struct;

/* oprofile_is_anon(): return whether @vma is anonymous. oprofile_anon_place(): set the addresses
 * and the kind of memory in *@place to those of the anonymous @vma. The caller holds the
 * mmap_lock. */
bool oprofile_is_anon(const struct vm_area_struct *vma);
struct oprofile_place oprofile_anon_place(const struct vm_area_struct *vma);

#endif
