/* SPDX-License-Identifier: GPL-2.0 */
/* linux/bitops.h -- see types.h. */
#include <linux/types.h>
