/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clip.h -- shortens long C++ and Rust names for a terminal. Text in brackets is cut first, in its
 * middle, parameters before template arguments. The function's own name is not cut.
 */
#ifndef PP_FORMAT_CLIP_H
#define PP_FORMAT_CLIP_H

#include <stddef.h>

/* text that replaces a cut part of a name: an ellipsis, one column wide */
#define PP_CLIP_MARK	"\xe2\x80\xa6"
/* size of a buffer for a name in bytes; more than the columns of any terminal */
#define PP_CLIP_MAX	4096

/* Return @name, or a copy in @buf of at most @columns columns, with PP_CLIP_MARK instead of the
 * parts that were cut. @columns: from 2 to PP_CLIP_MAX / 4. Names with non-ASCII characters are not
 * shortened. */
const char *pp_clip_name(char buf[PP_CLIP_MAX], const char *name, size_t columns);

#endif
