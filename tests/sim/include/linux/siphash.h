/* SPDX-License-Identifier: GPL-2.0 */
/* linux/siphash.h -- see list.h. */
#include <linux/list.h>
