/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- the actions of the daemon, for all callers: requests, signals, and its own end.
 */
#ifndef OPD_VERBS_H
#define OPD_VERBS_H

#include <stdbool.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/accounting.h"
#include "daemon/keep.h"
#include "daemon/sampling.h"

/* The objects that actions use; daemon.c owns them, and creates them in this order. */
struct opd_parts {
	const struct opd_config *cfg;
	struct opd_log log;
	struct opd_session session;
	struct opd_accounting accounting;
	struct opd_keep keep;
	struct opd_sampling sampling;
	bool finished;
	bool quit;		/* the loop must end */
};

/* The functions return 0 or a negative errno. Starting a running daemon, or stopping a stopped one,
 * is not an error. */
int opd_start(struct opd_parts *p);
/* Stop sampling; then all samples are on disk. */
int opd_stop(struct opd_parts *p);
/* Write all samples taken so far to disk. */
int opd_dump(struct opd_parts *p);
/* Save the current session as @name, or delete it if @name is NULL, and begin a new one. */
int opd_new_session(struct opd_parts *p, const char *name);
/* Stop sampling finally. Repeated calls do nothing. */
int opd_finish(struct opd_parts *p);

/* Close and reopen the log and the sample files. */
void opd_hang_up(struct opd_parts *p);

#endif
