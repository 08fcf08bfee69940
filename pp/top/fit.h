/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h -- names made safe for a terminal and cut to a number of columns.
 */
#ifndef PP_TOP_FIT_H
#define PP_TOP_FIT_H

#define PP_TOP_FIT_MAX	4096

/*
 * Write @text to @buf with at most @columns columns, in the encoding of the locale: unsafe
 * characters are replaced, long C++ and Rust names are shortened inside, and wide characters count
 * as two columns. Return the number of columns.
 */
unsigned int pp_top_fit(char buf[PP_TOP_FIT_MAX], const char *text, unsigned int columns);

#endif
