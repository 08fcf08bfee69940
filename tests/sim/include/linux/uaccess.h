/* SPDX-License-Identifier: GPL-2.0 */
/* linux/uaccess.h -- see list.h. */
#include <linux/list.h>
