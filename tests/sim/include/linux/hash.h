/* SPDX-License-Identifier: GPL-2.0 */
/* linux/hash.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
