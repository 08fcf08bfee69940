/* SPDX-License-Identifier: GPL-2.0 */
/* linux/mm.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
