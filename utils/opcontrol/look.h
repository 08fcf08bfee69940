/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.h -- reads system files. @root is a prefix of their paths, for tests; otherwise "".
 */
#ifndef UTILS_OPCONTROL_LOOK_H
#define UTILS_OPCONTROL_LOOK_H

#include <stdbool.h>
#include <stddef.h>

bool ctl_path_exists(const char *root, const char *path);
/* Return whether one of the lines of the file @path contains @text. */
bool ctl_file_has_line(const char *root, const char *path, const char *text);
/* Read the first line of the file @path into @text, without the newline. Return false if the file
 * has no line or cannot be read. */
bool ctl_read_first_line(char *text, size_t size, const char *root, const char *path);

#endif
