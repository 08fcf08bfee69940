/* SPDX-License-Identifier: GPL-2.0 */
/* linux/bitmap.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
