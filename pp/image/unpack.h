/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h -- decompression of parts of ELF files: debug sections (zlib, zstd) and the symbol table
 * of minidebuginfo (xz).
 *
 * The libraries are loaded at run time. If a library is missing, only data in its format cannot be
 * read.
 */
#ifndef PP_IMAGE_UNPACK_H
#define PP_IMAGE_UNPACK_H

#include <stddef.h>

enum pp_packing { PP_PACKED_ZLIB, PP_PACKED_ZSTD, PP_PACKED_XZ };

/*
 * Decompress @in to @out, a buffer of @room bytes. Return 0 and store the number of bytes in
 * *@ret_size. Return -ENOEXEC for damaged input, also if the output exceeds @room, or -ENOSYS if
 * the library is not installed.
 */
int pp_unpack(enum pp_packing packing, const void *in, size_t size, void *out, size_t room,
	      size_t *ret_size);

/* Load the libraries now, before the process drops the privilege to open files. */
void pp_unpack_load(void);

/* Return the name of the library for @packing, for a message after -ENOSYS. */
const char *pp_unpack_library(enum pp_packing packing);

#endif
