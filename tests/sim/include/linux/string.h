/* SPDX-License-Identifier: GPL-2.0 */
/* linux/string.h -- see types.h. */
#include <linux/types.h>
