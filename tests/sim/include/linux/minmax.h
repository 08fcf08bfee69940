/* SPDX-License-Identifier: GPL-2.0 */
/* linux/minmax.h -- see types.h. */
#include <linux/types.h>
