/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow.h -- a stack kept beside the real one, from nothing but the calls, returns and signals that happened.
 */
#ifndef TESTS_PATHS_SHADOW_H
#define TESTS_PATHS_SHADOW_H

#include <stdbool.h>

#include "tests/paths/world.h"

struct shadow {
	struct world_frame frames[65536];	/* outermost first */
	unsigned int nr;
	unsigned long wrong_returns;	/* returns to another place than the call came from */
};

enum shadow_kind {
	SHADOW_OTHER,
	SHADOW_CALL,
	SHADOW_RETURN,
	SHADOW_SYSTEM,			/* a system call */
};

/* What the instruction at the pc of @world does. */
enum shadow_kind shadow_kind(struct world *world);

/* Tells the shadow that the instruction was executed: @before and @world->regs are the registers
 * before and after it. */
void shadow_step(struct shadow *shadow, struct world *world, enum shadow_kind kind,
		 const struct user_regs_struct *before);

/* Tells the shadow that a signal was delivered at @before. False: no handler was begun. */
bool shadow_signal(struct shadow *shadow, struct world *world, const struct user_regs_struct *before);

#endif
