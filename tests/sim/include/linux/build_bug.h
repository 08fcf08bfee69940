/* SPDX-License-Identifier: GPL-2.0 */
/* linux/build_bug.h -- see list.h. */
#include <linux/list.h>
