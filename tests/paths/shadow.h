/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shadow.h -- a second stack, which is maintained from the observed calls, returns and signals
 * only. */
#ifndef TESTS_PATHS_SHADOW_H
#define TESTS_PATHS_SHADOW_H

#include <stdbool.h>

#include "tests/paths/world.h"

struct shadow {
	struct world_frame frames[65536];	/* frames; the outermost frame is first */
	unsigned int nr;
	/* number of returns to another place than the one from which the call came */
	unsigned long wrong_returns;
};

enum shadow_kind {
	SHADOW_OTHER,
	SHADOW_CALL,
	SHADOW_RETURN,
	SHADOW_SYSTEM,			/* a system call */
};

/* Describe the effect of the instruction at the pc of @world. */
enum shadow_kind shadow_kind(struct world *world);

/* Inform the shadow that the instruction was executed: @before and @world->regs are the registers
 * before and after it. */
void shadow_step(struct shadow *shadow, struct world *world, enum shadow_kind kind,
		 const struct user_regs_struct *before);

/* Inform the shadow that a signal was delivered at @before. Return false if no handler was
 * begun. */
bool shadow_signal(struct shadow *shadow, struct world *world, const struct user_regs_struct *before);

#endif
