/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refusal.h -- keeps until the next boot why the kernel refused the installed module, for
 * opcontrol --status and --doctor: another load would be needed to ask the kernel again.
 *
 * The reason is valid for one version of the module file. @root: prefix of the path in /run, for
 * tests; otherwise "". @file: path of the module file.
 */
#ifndef UTILS_OPCONTROL_REFUSAL_H
#define UTILS_OPCONTROL_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/* Keep @reason, which has no newline. Errors are ignored. */
void ctl_refusal_keep(const char *root, const char *file, const char *reason);
void ctl_refusal_forget(const char *root);
/* Store in @reason why the kernel refused the module. Return false if no refusal of this version of
 * the file is known. */
bool ctl_refusal_read(char *reason, size_t size, const char *root, const char *file);

#endif
