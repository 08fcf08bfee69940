/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- the source position of an address: one frame for the function at the address, and one
 * for each function inlined there. Debug data contains the position, so a frame is only as
 * trustworthy as the owner of the file with the debug data.
 */
#ifndef PP_IMAGE_FRAME_H
#define PP_IMAGE_FRAME_H

#include <stdint.h>
#include <sys/types.h>

struct pp_frame {
	const char *function;	/* linkage name; NULL: unknown, or use the symbol's name */
	/* source file, absolute if the debug data has the directory; NULL: unknown */
	const char *file;
	uint32_t line;		/* line number in .file; 0: unknown */
	/* number by which the compiler distinguishes basic blocks of the same line; 0: unknown, or
	 * only one block */
	uint32_t discriminator;
	uint32_t start_line;	/* line of the function's declaration; 0: unknown */
};

/* maximum number of frames for an address; outer frames beyond this number are dropped */
#define PP_MAX_FRAMES	64

#define PP_NO_OWNER	((uid_t)-1)	/* user id of an unknown owner */

#endif
