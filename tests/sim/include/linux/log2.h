/* SPDX-License-Identifier: GPL-2.0 */
/* linux/log2.h -- includes vmalloc.h, which holds the simulated declarations. */
#include <linux/vmalloc.h>
