/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- a log of sampled addresses: all of them, or the last ones in a circle.
 *
 * A circle of N has room for N words. A zero follows the newest word: for N = 4 the file is x0,
 * xx0, xxx0, 0xxx, y0xx, yy0x, yyy0, 0yyy. So there is always one zero, except between the two
 * writes at the end of the circle, when there are two: the first one counts.
 */
#ifndef PROBE_PC_LOG_H
#define PROBE_PC_LOG_H

#include <stdint.h>

#include "probe/pc/fd.h"

struct pc_log {
	struct pc_fd fd;
	uint32_t circle;	/* words; 0: not a circle */
	uint64_t nr;		/* number of words written */
	int lock;		/* atomic */
};

int pc_log_create(struct pc_log *log, const char *path, uint32_t circle);

/* Write @at. For handlers of any thread. Return 0, -EBUSY if another thread is writing, or another
 * negative errno. */
int pc_log_add(struct pc_log *log, uintptr_t at);

#endif
