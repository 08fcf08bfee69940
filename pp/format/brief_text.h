/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief_text.h -- text of limited size: names and lines that are cut in the middle, and
 * percentages.
 */
#ifndef PP_FORMAT_BRIEF_TEXT_H
#define PP_FORMAT_BRIEF_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PP_BRIEF_NAME_MAX	512 /* size of a buffer for a shortened name, including the NUL */

/*
 * Copy @text to @buf as UTF-8 of at most @max bytes. Replace each byte of an unsafe character by
 * "\xHH". If the text is too long, replace its middle by PP_CLIP_MARK. @max: from 8 to
 * PP_BRIEF_NAME_MAX - 1. Return @buf.
 */
char *pp_brief_clip(char buf[PP_BRIEF_NAME_MAX], const char *text, size_t max);

/* Shorten a function's name as pp_brief_clip() does, but cut parameters and template arguments
 * first, so that the name itself stays. Return @buf. */
char *pp_brief_clip_name(char buf[PP_BRIEF_NAME_MAX], const char *name, size_t max);

/* Print the first @max_lines lines of @text, each with at most @max bytes after @indent, then the
 * number of omitted lines. */
void pp_brief_lines(FILE *out, const char *text, const char *indent, size_t max_lines, size_t max);

#define PP_BRIEF_SHARE	16	/* size of a buffer for a percentage, including the NUL */

/* Write @part as a percentage of @total with one decimal to @buf, such as "12.5 %". Write "100 %"
 * and "0 %" only if they are exact. Return @buf. */
const char *pp_brief_share(char buf[PP_BRIEF_SHARE], uint64_t part, uint64_t total);

#endif
