/* SPDX-License-Identifier: GPL-2.0 */
/* linux/hash.h -- includes vmalloc.h, which holds the simulated declarations. */
#include <linux/vmalloc.h>
