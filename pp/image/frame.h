/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- a source position of a function, one for each function inlined at an address. The
 * position comes from debug data, so it is as trustworthy as the owner of the file with the debug
 * data.
 */
#ifndef PP_IMAGE_FRAME_H
#define PP_IMAGE_FRAME_H

#include <stdint.h>
#include <sys/types.h>

struct pp_frame {
	const char *function;	/* raw (linkage) name; NULL: unknown, or use the symbol's name */
	/* source file, with an absolute path if the debug data has the directory; NULL: unknown */
	const char *file;
	uint32_t line;		/* line number; 0: unknown */
	/* number by which the compiler distinguishes pieces of code with the same line; 0: unknown,
	 * or the only piece */
	uint32_t discriminator;
	uint32_t start_line;	/* line of the function's declaration; 0: unknown */
};

/* maximum number of frames for one address; further outer frames are dropped */
#define PP_MAX_FRAMES	64

#define PP_NOBODY	((uid_t)-1)	/* user id that stands for an unknown owner */

#endif
