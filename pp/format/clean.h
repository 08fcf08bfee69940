/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h -- names as any format may hold them. Files and symbols are named by whoever made them: a
 * name may have control characters, bytes that are no UTF-8, or characters that turn the direction
 * of what follows.
 */
#ifndef PP_FORMAT_CLEAN_H
#define PP_FORMAT_CLEAN_H

#include <stddef.h>

/*
 * Copies @text to @buf as UTF-8 without such bytes, each of which becomes "\xHH"; cut off, between
 * characters, when it does not fit. Returns @buf. @size: at least 1.
 */
char *pp_clean(char *buf, size_t size, const char *text);

#define PP_CLEAN_MAX	4096	/* bytes of a name worth showing, with the NUL */

#endif
