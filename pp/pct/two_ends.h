/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * two_ends.h -- writing of two texts to two files at once, for a reader that alternates between
 * them.
 */
#ifndef PP_PCT_TWO_ENDS_H
#define PP_PCT_TWO_ENDS_H

#include <stddef.h>

struct pp_text_to {
	int fd;
	const char *text;
	size_t len;
};

/* Write both texts, to each file as much as it accepts. Close a descriptor after its text, or on
 * failure. Return 0 or a negative errno. */
int pp_write_both(struct pp_text_to ends[2]);

#endif
