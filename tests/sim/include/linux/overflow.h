/* SPDX-License-Identifier: GPL-2.0 */
/* linux/overflow.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
