/* SPDX-License-Identifier: GPL-2.0 */
/* linux/compiler.h -- see types.h. */
#include <linux/types.h>
