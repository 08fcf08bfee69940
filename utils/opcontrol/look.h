/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.h -- reading of system files. @root is a prefix of all paths, for tests; otherwise "".
 */
#ifndef UTILS_OPCONTROL_LOOK_H
#define UTILS_OPCONTROL_LOOK_H

#include <stdbool.h>
#include <stddef.h>

bool ctl_look_exists(const char *root, const char *path);
/* Return whether a line of the file contains @text. */
bool ctl_look_line(const char *root, const char *path, const char *text);
/* Read the first line of the file, without its newline. Return false if no line exists. */
bool ctl_look_text(char *text, size_t size, const char *root, const char *path);

#endif
