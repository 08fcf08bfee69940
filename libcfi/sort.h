/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h -- sorting of a short array of numbers, of which most are already in order. The worst case
 * takes n log n steps. The function needs no additional memory.
 */
#ifndef LIBCFI_SORT_H
#define LIBCFI_SORT_H

#include <linux/types.h>

void cfi_sort(__u32 *numbers, __u32 nr);

#endif
