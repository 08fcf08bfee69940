/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet.h -- a log that does not repeat itself. Each interval, and each attempt to send it, may
 * cause the same warning, for example about a binary that does not exist any more.
 */
#ifndef OPEXPORT_QUIET_H
#define OPEXPORT_QUIET_H

#include <stdint.h>

#include "pp/base/log.h"

#define EXPORT_QUIET_MS	3600000	/* least time between two equal messages */
#define EXPORT_QUIET_NR	1024	/* number of messages that are remembered */

struct export_quiet {
	/* must be the first member, because .write casts its address to the whole */
	struct pp_log log;
	struct pp_log *to;
	/* hashes of the latest messages, and the times at which they were written, in ms of
	 * op_now_ms() */
	struct {
		uint64_t hash, ms;
	} said[EXPORT_QUIET_NR];
	size_t nr;
};

/* Initialise @quiet to forward to @to, which must outlive it, each message that it did not forward
 * within EXPORT_QUIET_MS. Errors are always forwarded. */
void export_quiet_init(struct export_quiet *quiet, struct pp_log *to);

#endif
