/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- a place in the source for one of the functions at an address. It comes from debug
 * data, and is as trustworthy as the owner of the file with that data.
 */
#ifndef PP_IMAGE_FRAME_H
#define PP_IMAGE_FRAME_H

#include <stdint.h>
#include <sys/types.h>

struct pp_frame {
	const char *function;	/* raw (linkage) name; NULL: unknown, or use the symbol's */
	const char *file;	/* absolute if the debug data has the directory; NULL: unknown */
	uint32_t line;		/* 0: unknown */
};

#define PP_MAX_FRAMES	64	/* maximum for one address; the outermost ones are dropped */

#define PP_NOBODY	((uid_t)-1)	/* the owner is unknown */

#endif
