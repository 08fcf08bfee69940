/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h -- makes names safe for a terminal, and cuts them to a number of columns.
 */
#ifndef PP_TOP_FIT_H
#define PP_TOP_FIT_H

#define PP_TOP_FIT_MAX	4096

/*
 * Write @text to @buf in the encoding of the locale, at most @columns columns wide. Replace
 * characters that control a terminal, shorten long C++ and Rust names in the middle, and count wide
 * characters as two columns. Return the number of columns used.
 */
unsigned int pp_top_fit(char buf[PP_TOP_FIT_MAX], const char *text, unsigned int columns);

#endif
