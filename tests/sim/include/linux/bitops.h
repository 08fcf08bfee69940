/* SPDX-License-Identifier: GPL-2.0 */
/* linux/bitops.h -- includes types.h, which holds the simulated declarations. */
#include <linux/types.h>
