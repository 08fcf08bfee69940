/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oprofilefs_file.h -- reads and writes numbers and words in the module's files
 * (doc/oprofilefs.md). */
#ifndef OPD_OPROFILEFS_FILE_H
#define OPD_OPROFILEFS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* All functions return 0 or a negative errno; @name is relative to the directory @dir_fd. */
int opd_oprofilefs_write(int dir_fd, const char *name, uint64_t value);
int opd_oprofilefs_write_text(int dir_fd, const char *name, const char *text);
int opd_oprofilefs_read(int dir_fd, const char *name, uint64_t *ret);
/* Read one line, without its newline, cut at @size. */
int opd_oprofilefs_read_text(int dir_fd, const char *name, char *text, size_t size);

#endif
