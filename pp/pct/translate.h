/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h -- translation of addresses by another program.
 *
 * The program reads addresses from stdin and writes a fixed number of lines for each address to
 * stdout. It may write all lines at the end, read slowly, hang or exit early, so both pipes are
 * polled together, with a timeout.
 */
#ifndef PP_PCT_TRANSLATE_H
#define PP_PCT_TRANSLATE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

struct pp_translator {
	const char *command;	/* words separated by spaces, run without a shell; %f: the file */
	unsigned int lines;	/* number of lines in the program's answer to one address */
	unsigned int timeout_s;	/* timeout in seconds, restarted by each read or write */
};

/*
 * Translate @nr addresses in the file @fd. The program opens /proc/self/fd/@fd, so it reads this
 * file even if its path is replaced. Set ret[i] to the answer for pcs[i], malloc'd, with newlines
 * between its lines. Return 0, or a negative errno with the cause in @error and no answers in @ret.
 */
int pp_translate(const struct pp_translator *t, int fd, const uint64_t *pcs, size_t nr, char **ret,
		 struct op_reason *error);

#endif
