/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs_file.h -- reading and writing of numbers and text in the files of the kernel module
 * (doc/oprofilefs.md).
 */
#ifndef OPD_OPROFILEFS_FILE_H
#define OPD_OPROFILEFS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Write a number to the file @name, relative to the directory @dir_fd. All functions of this file
 * return 0 or a negative errno. */
int opd_oprofilefs_write(int dir_fd, const char *name, uint64_t value);
/* Write @text to the file @name, relative to the directory @dir_fd. */
int opd_oprofilefs_write_text(int dir_fd, const char *name, const char *text);
/* Read a number from the file @name in the directory @dir_fd into *@ret. */
int opd_oprofilefs_read(int dir_fd, const char *name, uint64_t *ret);
/* Read the file @name in the directory @dir_fd into @text. Truncate it to @size - 1 bytes. */
int opd_oprofilefs_read_lines(int dir_fd, const char *name, char *text, size_t size);
/* Read the first line of the file @name in the directory @dir_fd into @text, without the newline.
 * Truncate it to @size - 1 bytes. */
int opd_oprofilefs_read_text(int dir_fd, const char *name, char *text, size_t size);

#endif
