/* SPDX-License-Identifier: GPL-2.0 */
/* linux/atomic.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
