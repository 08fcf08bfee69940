/* SPDX-License-Identifier: GPL-2.0 */
/* linux/sched.h -- see list.h. */
#include <linux/list.h>
