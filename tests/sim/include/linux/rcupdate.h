/* SPDX-License-Identifier: GPL-2.0 */
/* linux/rcupdate.h -- see list.h. */
#include <linux/list.h>
