/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- addresses one after the other, as they are sampled: all of them, or the last few in a circle.
 *
 * A circle of N has room for N words. Behind the newest stands a zero: for N = 4 the file is x0, xx0, xxx0, 0xxx, y0xx,
 * yy0x, yyy0, 0yyy. So there is one zero at any time, but for the moment between the two writes at the end of the
 * circle, when there are two: the first counts.
 */
#ifndef PROBE_PC_LOG_H
#define PROBE_PC_LOG_H

#include <stdint.h>

#include "probe/pc/fd.h"

struct pc_log {
	struct pc_fd fd;
	uint32_t circle;	/* words; 0: no circle */
	uint64_t nr;		/* words written */
	int lock;		/* atomic */
};

int pc_log_create(struct pc_log *log, const char *path, uint32_t circle);

/* Writes @at. Any thread's handler. 0; -EBUSY: another thread writes; or another negative errno. */
int pc_log_add(struct pc_log *log, uintptr_t at);

#endif
