/* SPDX-License-Identifier: GPL-2.0 */
/* linux/user_namespace.h -- see list.h. */
#include <linux/list.h>
