/* SPDX-License-Identifier: GPL-2.0 */
/* linux/spinlock.h -- see list.h. */
#include <linux/list.h>
