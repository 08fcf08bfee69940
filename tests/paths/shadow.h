/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow.h -- a shadow stack of a single-stepped program, updated only from observed calls, returns
 * and signals.
 */
#ifndef TESTS_PATHS_SHADOW_H
#define TESTS_PATHS_SHADOW_H

#include <stdbool.h>

#include "tests/paths/world.h"

struct shadow {
	struct world_frame frames[65536];	/* frames; the outermost frame is first */
	unsigned int nr;
	/* number of returns to another address than that of the matching call */
	unsigned long wrong_returns;
};

enum shadow_kind {
	SHADOW_OTHER,
	SHADOW_CALL,
	SHADOW_RETURN,
	SHADOW_SYSTEM,			/* a system call */
};

/* Return the kind of the instruction at the program's pc. */
enum shadow_kind shadow_kind(struct world *world);

/*
 * Update the shadow stack after an instruction of @kind was executed. @before and @world->regs:
 * registers before and after it.
 */
void shadow_step(struct shadow *shadow, struct world *world, enum shadow_kind kind,
		 const struct user_regs_struct *before);

/* Update the shadow stack after a signal was delivered at @before. Return false if no handler was
 * started. */
bool shadow_signal(struct shadow *shadow, struct world *world, const struct user_regs_struct *before);

#endif
