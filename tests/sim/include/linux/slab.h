/* SPDX-License-Identifier: GPL-2.0 */
/* linux/slab.h -- see list.h. */
#include <linux/list.h>
