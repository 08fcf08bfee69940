/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- a place in the source, as one function around an address has it; what debug data says
 * of it is the word of the owner of the file with that data.
 */
#ifndef PP_IMAGE_FRAME_H
#define PP_IMAGE_FRAME_H

#include <stdint.h>
#include <sys/types.h>

struct pp_frame {
	const char *function;	/* raw (linkage) name; NULL: the symbol's, or not known */
	const char *file;	/* absolute if the compiler said so much; NULL: not known */
	uint32_t line;		/* 0: not known */
};

#define PP_MAX_FRAMES	64	/* of one address; the outermost ones are left out beyond that */

#define PP_NOBODY	((uid_t)-1)	/* the owner is not known */

#endif
