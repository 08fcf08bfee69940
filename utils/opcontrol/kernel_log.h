/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_log.h -- finds in the kernel's log why the kernel refused a module: the system call
 * returns only an errno.
 */
#ifndef UTILS_OPCONTROL_KERNEL_LOG_H
#define UTILS_OPCONTROL_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Return the last lines of the kernel's log (malloc'd), or NULL if this process may not read the
 * log. */
char *ctl_kernel_log_read(void);

/*
 * Store in @text the first line about a refused oprofile.ko in @after that is not in @before,
 * without level and time. @before, @after: the log before and after the load, or NULL. Return
 * false if no line was found.
 */
bool ctl_kernel_log_reason(char *text, size_t size, const char *before, const char *after);

#endif
