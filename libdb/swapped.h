/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * swapped.h -- conversion of trees and frames that were written in the other byte order. Their
 * format does not depend on the word size.
 */
#ifndef ODB_SWAPPED_H
#define ODB_SWAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAPPED_HEADER	64u	/* number of bytes of a file that swapped_find() needs */

enum swapped {
	SWAPPED_OTHER_FILE,	/* the file contains neither a tree nor frames */
	SWAPPED_NOT,		/* the file has this machine's byte order */
	SWAPPED_YES,
};

/* Return the byte order of a file by its first SWAPPED_HEADER bytes. Set *@known if this library
 * can open its version. */
enum swapped swapped_find(const void *header, bool *known);
/* Swap the byte order of @len bytes from offset @at of the file; both are multiples of 16. */
void swapped_turn(void *bytes, size_t len, uint64_t at);

#endif
