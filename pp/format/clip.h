/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clip.h -- shortening of long C++ and Rust names for a terminal. Text in brackets is cut first,
 * from the middle of the text; parameters are cut before template arguments. The function's own
 * name is not cut.
 */
#ifndef PP_FORMAT_CLIP_H
#define PP_FORMAT_CLIP_H

#include <stddef.h>

#define PP_CLIP_MARK	"\xe2\x80\xa6"	/* mark for removed text: an ellipsis, one column wide */
/* size of a buffer for a name; more than the columns of any terminal */
#define PP_CLIP_MAX	4096

/* Return @name, or a copy in @buf of at most @columns columns, with PP_CLIP_MARK in place of the
 * cut text. @columns: between 2 and PP_CLIP_MAX / 4. A name that has other characters than ASCII is
 * not shortened. */
const char *pp_clip_name(char buf[PP_CLIP_MAX], const char *name, size_t columns);

#endif
