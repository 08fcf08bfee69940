/* SPDX-License-Identifier: GPL-2.0 */
/* linux/bits.h -- see types.h. */
#include <linux/types.h>
