/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clip.h -- long names of C++ and Rust on a terminal: what is in brackets goes first, from its middle,
 * parameters before arguments of templates; the function's own name stays.
 */
#ifndef PP_FORMAT_CLIP_H
#define PP_FORMAT_CLIP_H

#include <stddef.h>

#define PP_CLIP_MARK	"\xe2\x80\xa6"	/* an ellipsis, one column wide */
#define PP_CLIP_MAX	4096		/* bytes; no terminal is as wide */

/* @name in @columns columns at most, which is between 2 and PP_CLIP_MAX / 4; where something is left out stands
 * PP_CLIP_MARK. A name that is not plain ASCII stays whole. Gives @name or @buf. */
const char *pp_clip_name(char buf[PP_CLIP_MAX], const char *name, size_t columns);

#endif
