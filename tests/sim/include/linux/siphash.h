/* SPDX-License-Identifier: GPL-2.0 */
/* linux/siphash.h -- includes list.h, which holds the simulated declarations. */
#include <linux/list.h>
