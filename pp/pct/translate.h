/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h -- asks another program what is at addresses: addresses in, coordinates out, line by line.
 *
 * Any program will do that reads addresses from its stdin and writes as many lines for each to its stdout. It may keep
 * all answers back until its input ends, read slowly, die or do nothing at all: both ends are watched at once, and
 * nothing waits for it longer than the given time.
 */
#ifndef PP_PCT_TRANSLATE_H
#define PP_PCT_TRANSLATE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

struct pp_translator {
	const char *command;	/* words between blanks; %f is the file. No shell sees it */
	unsigned int lines;	/* of an answer */
	unsigned int timeout_s;	/* with nothing read and nothing written */
};

/*
 * Asks about @nr addresses in the file @fd, which the program opens as /proc/self/fd/@fd, so that it reads this very file. ret[i] is the answer to pcs[i], malloc'd, its lines ended with '\n' but for the
 * last. Negative errno and why, and nothing to free.
 */
int pp_translate(const struct pp_translator *t, int fd, const uint64_t *pcs, size_t nr, char **ret,
		 struct op_reason *why);

#endif
