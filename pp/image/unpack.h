/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h -- decompression of parts of ELF files: debug sections (zlib, zstd) and the symbol table
 * of minidebuginfo (xz).
 *
 * The libraries are loaded at run time. Without a library, only data in its format is unavailable.
 */
#ifndef PP_IMAGE_UNPACK_H
#define PP_IMAGE_UNPACK_H

#include <stddef.h>

enum pp_packing { PP_PACKED_ZLIB, PP_PACKED_ZSTD, PP_PACKED_XZ };

/*
 * Decompress @in to @out, which has room for @room bytes; a larger result is damage. Return 0 and
 * the number of bytes in *@ret_size, -ENOEXEC for damaged input, or -ENOSYS if the library is not
 * installed.
 */
int pp_unpack(enum pp_packing packing, const void *in, size_t size, void *out, size_t room,
	      size_t *ret_size);

/* Load the libraries now, for a process that will not be able to open them later. */
void pp_unpack_load(void);

/* Return the name of the missing library after -ENOSYS. */
const char *pp_unpack_library(enum pp_packing packing);

#endif
