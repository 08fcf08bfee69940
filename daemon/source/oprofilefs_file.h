/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oprofilefs_file.h -- numbers and words in the module's files (doc/oprofilefs.md). */
#ifndef OPD_OPROFILEFS_FILE_H
#define OPD_OPROFILEFS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* All: 0 or negative errno; @name below the descriptor of the mount. */
int opd_oprofilefs_write(int dir_fd, const char *name, uint64_t value);
int opd_oprofilefs_write_text(int dir_fd, const char *name, const char *text);
int opd_oprofilefs_read(int dir_fd, const char *name, uint64_t *ret);
/* One line, without its newline, cut at @size. */
int opd_oprofilefs_read_text(int dir_fd, const char *name, char *text, size_t size);

#endif
