/* SPDX-License-Identifier: GPL-2.0 */
/* linux/irq_work.h -- see vmalloc.h. */
#include <linux/vmalloc.h>
