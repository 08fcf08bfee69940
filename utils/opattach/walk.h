/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h -- unwinds the stack of a thread of another process.
 */
#ifndef UTILS_OPATTACH_WALK_H
#define UTILS_OPATTACH_WALK_H

#include "utils/opattach/arch/arch.h"
#include "utils/opattach/images.h"

#define ATTACH_DEPTH	4096	/* maximum number of frames of a call path */

struct attach_path_frame {
	uint64_t ip, sp;
	/* the frame is the innermost one, or was interrupted by a signal, so .ip is not a return
	 * address */
	bool innermost;
};

struct attach_path {
	/* frames of the call path, innermost first */
	struct attach_path_frame frames[ATTACH_DEPTH];
	unsigned int nr;
	int end;			/* reason why the unwinding ended, enum oprofile_uw_end */
};

/* Input of the unwinder. .stack: a copy of .stack_len bytes of the stack, from the stack pointer
 * on; NULL: read the stack from the process. */
struct attach_walk {
	const struct attach_target *target;
	struct attach_images *images;
	const struct attach_regs *regs;
	const unsigned char *stack;
	size_t stack_len;
};

void attach_walk(const struct attach_walk *w, struct attach_path *path);

#endif
