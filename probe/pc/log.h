/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- a log file of sampled addresses, one word each: either all addresses, or a circular
 * buffer with the newest addresses.
 *
 * A circular log of N words has a zero after the newest address. For N = 4, the successive contents
 * are: x0, xx0, xxx0, 0xxx, y0xx, yy0x, yyy0, 0yyy. Wrapping around needs two writes; between the
 * two writes the file contains two zeros, of which the first is valid.
 */
#ifndef PROBE_PC_LOG_H
#define PROBE_PC_LOG_H

#include <stdint.h>

#include "probe/base/fd.h"

struct pc_log {
	struct fd fd;
	/* number of words in the circular buffer; 0: the log is not circular */
	uint32_t circle;
	uint64_t nr;		/* number of words that have been written to the log */
	int lock;		/* not 0: a thread is writing to the log; atomic */
};

int pc_log_create(struct pc_log *log, const char *path, uint32_t circle);

/* Append address @at to the log. May be called in signal handlers of any thread. Return 0, -EBUSY
 * if another thread is writing, or another negative errno. */
int pc_log_add(struct pc_log *log, uintptr_t at);

#endif
