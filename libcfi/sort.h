/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h -- sorting of a few numbers, which are mostly in order already. In the worst case it takes
 * n log n steps. It needs no additional memory.
 */
#ifndef LIBCFI_SORT_H
#define LIBCFI_SORT_H

#include <linux/types.h>

void cfi_sort(__u32 *numbers, __u32 nr);

#endif
