/* SPDX-License-Identifier: GPL-2.0 */
/* linux/kernel.h -- see types.h. */
#include <linux/types.h>
