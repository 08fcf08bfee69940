/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief_text.h -- texts of limited size: names and lines that are cut in the middle, and shares.
 */
#ifndef PP_FORMAT_BRIEF_TEXT_H
#define PP_FORMAT_BRIEF_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PP_BRIEF_NAME_MAX	512	/* size of a buffer for a shortened name, with the NUL */

/*
 * Copy @text to @buf as UTF-8 with at most @max bytes, and with "\xHH" for each byte of an unsafe
 * character. If the text is longer, cut it in the middle, and put PP_CLIP_MARK there. @max: from 8
 * to PP_BRIEF_NAME_MAX - 1. Return @buf.
 */
char *pp_brief_clip(char buf[PP_BRIEF_NAME_MAX], const char *text, size_t max);

/* Shorten the name of a function as pp_brief_clip() does, but first cut parameters and template
 * arguments, so that the function's own name stays. Return @buf. */
char *pp_brief_clip_name(char buf[PP_BRIEF_NAME_MAX], const char *name, size_t max);

/* Print the first @max_lines lines of @text after @indent, each with at most @max bytes, and the
 * number of the lines that are left out. */
void pp_brief_lines(FILE *out, const char *text, const char *indent, size_t max_lines, size_t max);

#define PP_BRIEF_SHARE	16	/* size of a buffer for a share, with the NUL */

/* Write @part in percent of @total with one decimal, such as "12.5 %". Write "100 %" only for all,
 * "0 %" only for nothing. Return @buf. */
const char *pp_brief_share(char buf[PP_BRIEF_SHARE], uint64_t part, uint64_t total);

#endif
