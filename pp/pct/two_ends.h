/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * two_ends.h -- two texts to two files at once, for a reader who takes a line here and a line there.
 */
#ifndef PP_PCT_TWO_ENDS_H
#define PP_PCT_TWO_ENDS_H

#include <stddef.h>

struct pp_text_to {
	int fd;
	const char *text;
	size_t len;
};

/* Writes both, to each as much as it takes. 0 or negative errno. Descriptors are closed as soon as their text is out, or
 * at a failure. */
int pp_write_both(struct pp_text_to ends[2]);

#endif
