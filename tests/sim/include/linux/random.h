/* SPDX-License-Identifier: GPL-2.0 */
/* linux/random.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
