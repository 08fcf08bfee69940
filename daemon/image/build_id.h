/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h -- parsing of the build-id note of an untrusted ELF file. Every number in the file is
 * checked, and at most a few kilobytes are read. Also writes the list of the build-ids of a
 * session's images (libop/session/build_ids.h).
 */
#ifndef OPD_BUILD_ID_H
#define OPD_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

#define OPD_BUILD_ID_MAX	RAW_BUILD_ID_MAX

/*
 * Read the NT_GNU_BUILD_ID note of the ELF file @fd, of 32 or 64 bits and either byte order.
 * Return the length of the build-id, 0 if the file has no build-id or is not an ELF file, or a
 * negative errno.
 */
int opd_build_id_read(int fd, uint8_t id[OPD_BUILD_ID_MAX]);

/* Find the build-id in the notes of a PT_NOTE segment. @is_swapped: the file has the other byte
 * order than this machine. Return the length of the build-id, or 0. */
int opd_build_id_in_notes(const unsigned char *notes, size_t len, size_t align, bool is_swapped,
			  uint8_t id[OPD_BUILD_ID_MAX]);

struct opd_images;

/*
 * Add the build-ids of @images to the session's list, which may have entries of an earlier daemon.
 * *@written: number of build-ids at the last call (0 before the first call); if the number is
 * unchanged, do nothing, otherwise update *@written. Return 0 or a negative errno.
 */
int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd);

#endif
