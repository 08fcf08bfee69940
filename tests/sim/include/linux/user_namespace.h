/* SPDX-License-Identifier: GPL-2.0 */
/* linux/user_namespace.h -- includes list.h, which holds the simulated declarations. */
#include <linux/list.h>
