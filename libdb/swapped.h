/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * swapped.h -- conversion of files of trees and frames from the other byte order. The format is
 * the same on 32-bit and 64-bit machines.
 */
#ifndef ODB_SWAPPED_H
#define ODB_SWAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* number of bytes at the start of a file that swapped_find() needs */
#define SWAPPED_HEADER	64u

enum swapped {
	SWAPPED_OTHER_FILE,	/* the file contains neither a tree nor frames */
	SWAPPED_NOT,		/* the file has the byte order of this machine */
	SWAPPED_YES,
};

/* Detect the byte order of a file from its first SWAPPED_HEADER bytes. Set *@known to true if this
 * library supports the file's version. */
enum swapped swapped_find(const void *header, bool *known);
/* Swap the byte order of @len bytes that begin at offset @at of the file. Both are multiples of
 * 16. */
void swapped_convert(void *bytes, size_t len, uint64_t at);

#endif
