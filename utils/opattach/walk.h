/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h -- the stack of a thread of another process, frame by frame.
 */
#ifndef UTILS_OPATTACH_WALK_H
#define UTILS_OPATTACH_WALK_H

#include "utils/opattach/arch/arch.h"
#include "utils/opattach/images.h"

#define ATTACH_DEPTH	4096	/* maximum number of frames of a path */

struct attach_path_frame {
	uint64_t ip, sp;
	/* the leaf, or a frame that a signal interrupted: @ip is not after a call */
	bool innermost;
};

struct attach_path {
	struct attach_path_frame frames[ATTACH_DEPTH];	/* sorted from the innermost frame on */
	unsigned int nr;
	int end;			/* enum oprofile_uw_end: the cause of the path's end */
};

/* The start of a walk. @stack: a copy of @stack_len bytes of the stack from sp on; NULL: read the
 * process. */
struct attach_walk {
	const struct attach_target *target;
	struct attach_images *images;
	const struct attach_regs *regs;
	const unsigned char *stack;
	size_t stack_len;
};

void attach_walk(const struct attach_walk *w, struct attach_path *path);

#endif
