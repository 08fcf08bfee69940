/* SPDX-License-Identifier: GPL-2.0 */
/* linux/mutex.h -- see list.h. */
#include <linux/list.h>
