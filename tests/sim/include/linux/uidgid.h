/* SPDX-License-Identifier: GPL-2.0 */
/* linux/uidgid.h -- see list.h. */
#include <linux/list.h>
