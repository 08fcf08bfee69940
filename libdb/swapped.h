/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * swapped.h -- trees and frames that a machine of the other byte order wrote. Word sizes do not matter to them.
 */
#ifndef ODB_SWAPPED_H
#define ODB_SWAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAPPED_HEADER	64u	/* bytes that tell */

enum swapped {
	SWAPPED_OTHER_FILE,	/* neither a tree nor frames */
	SWAPPED_NOT,		/* one of this machine's order */
	SWAPPED_YES,
};

/* Of a file's first SWAPPED_HEADER bytes. *@known: it is of a version that this library opens. */
enum swapped swapped_find(const void *header, bool *known);
/* Turns @len bytes round that stand at @at in the file; both are multiples of 16. */
void swapped_turn(void *bytes, size_t len, uint64_t at);

#endif
