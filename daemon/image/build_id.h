/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h -- reading of the build-id note of an untrusted ELF file: checks every number in the
 * file, and reads a few kilobytes at most. Also the file with the build-ids of a session's images,
 * beside the samples (libop/session/build_ids.h).
 */
#ifndef OPD_BUILD_ID_H
#define OPD_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

#define OPD_BUILD_ID_MAX	RAW_BUILD_ID_MAX

/*
 * Read the NT_GNU_BUILD_ID note of the ELF file @fd (32 or 64 bit, either byte order). Return the
 * length of the build-id, 0 if the file has no build-id or is not an ELF file, or a negative errno.
 */
int opd_build_id_read(int fd, uint8_t id[OPD_BUILD_ID_MAX]);

/* Find the build-id in the notes of one PT_NOTE segment. @is_swapped: the file's byte order differs
 * from this machine's byte order. Return the build-id's length, or 0. */
int opd_build_id_in_notes(const unsigned char *notes, size_t len, size_t align, bool is_swapped,
			  uint8_t id[OPD_BUILD_ID_MAX]);

struct opd_images;

/*
 * Write the known build-ids to the session's file, in addition to the build-ids that an earlier
 * daemon wrote. Do nothing if the number of known build-ids equals *@written (0: none was written
 * yet); update *@written. Return 0 or a negative errno.
 */
int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd);

#endif
