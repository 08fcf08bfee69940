/* SPDX-License-Identifier: GPL-2.0 */
/* linux/stat.h -- the types of files, which the kernel's header has for the kernel only. */
#ifndef SIM_LINUX_STAT_H
#define SIM_LINUX_STAT_H

#include_next <linux/stat.h>
#include <sys/stat.h>

#endif
