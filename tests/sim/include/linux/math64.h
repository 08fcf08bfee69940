/* SPDX-License-Identifier: GPL-2.0 */
/* linux/math64.h -- includes vmalloc.h, which holds the simulated declarations. */
#include <linux/vmalloc.h>
