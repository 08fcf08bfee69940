/* SPDX-License-Identifier: GPL-2.0 */
/* linux/timekeeping.h -- see list.h. */
#include <linux/list.h>
