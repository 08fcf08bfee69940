/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h -- translation of addresses by another program.
 *
 * The program must read addresses from its stdin and write a fixed number of lines for each address
 * to its stdout. It may write all lines at the end, read slowly, hang or exit early: both pipes are
 * polled together, with a timeout.
 */
#ifndef PP_PCT_TRANSLATE_H
#define PP_PCT_TRANSLATE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

struct pp_translator {
	const char *command;	/* words separated by spaces; %f is the file. Run without a shell */
	unsigned int lines;	/* number of lines in one answer of addr2line */
	unsigned int timeout_s;	/* maximum time in which nothing is read or written, in seconds */
};

/*
 * Translate @nr addresses in the file @fd, which the program opens as /proc/self/fd/@fd, so that it
 * reads this file even if its path is replaced. Set ret[i] to the answer for pcs[i], malloc'd, with
 * newlines between its lines. Return 0, or a negative errno with the cause in @error; then ret is
 * empty.
 */
int pp_translate(const struct pp_translator *t, int fd, const uint64_t *pcs, size_t nr, char **ret,
		 struct op_reason *error);

#endif
