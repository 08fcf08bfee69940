/* SPDX-License-Identifier: GPL-2.0 */
/*
 * anon.h -- mappings that are of no file that anybody can name.
 */
#ifndef OPROFILE_ANON_H
#define OPROFILE_ANON_H

#include <linux/types.h>

#include "hit.h"

struct vm_area_struct;

/* The lock of @vma's memory is held, for both. */
bool oprofile_is_anon(const struct vm_area_struct *vma);
struct oprofile_place oprofile_anon_place(const struct vm_area_struct *vma);

#endif
