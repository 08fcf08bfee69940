/* SPDX-License-Identifier: GPL-2.0 */
/* linux/cred.h -- see list.h. */
#include <linux/list.h>
