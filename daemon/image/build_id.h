/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h -- the build-id note of an ELF file that somebody else wrote: every number in it is
 * checked, and no more than a few kilobytes are read.
 */
#ifndef OPD_BUILD_ID_H
#define OPD_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define OPD_BUILD_ID_MAX	20

/*
 * Reads the NT_GNU_BUILD_ID note of the ELF file behind @fd (32 or 64 bit, either byte order).
 * Returns its length, 0 when the file has none or is no ELF file, or a negative errno.
 */
int opd_build_id_read(int fd, uint8_t id[OPD_BUILD_ID_MAX]);

/* The same in notes that are in memory: the bytes of one PT_NOTE segment. */
int opd_build_id_in_notes(const unsigned char *notes, size_t len, size_t align, int swapped,
			  uint8_t id[OPD_BUILD_ID_MAX]);

#endif
