/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h -- decompresses parts of ELF files: debug sections (zlib, zstd) and the small symbol
 * table of minidebuginfo (xz).
 *
 * The libraries are looked for at run time. A machine without one of them only loses what is packed
 * that way.
 */
#ifndef PP_IMAGE_UNPACK_H
#define PP_IMAGE_UNPACK_H

#include <stddef.h>

enum pp_packing { PP_PACKED_ZLIB, PP_PACKED_ZSTD, PP_PACKED_XZ };

/*
 * Unpacks @in into @out, which has room for @room bytes; more is damage. 0 and *@ret_size, how many
 * there were; -ENOEXEC for damaged input; -ENOSYS when the library is not installed.
 */
int pp_unpack(enum pp_packing packing, const void *in, size_t size, void *out, size_t room,
	      size_t *ret_size);

/* Loads the libraries now, for a process that will not be able to open them any more. */
void pp_unpack_load(void);

/* The library that is missing after -ENOSYS. */
const char *pp_unpack_library(enum pp_packing packing);

#endif
