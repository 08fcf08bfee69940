/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- the daemon's actions, such as start, stop and dump. Requests, signals and the daemon's
 * end trigger the actions.
 */
#ifndef OPD_VERBS_H
#define OPD_VERBS_H

#include <stdbool.h>

#include "daemon/base/log.h"
#include "daemon/base/new_names.h"
#include "daemon/base/session.h"
#include "daemon/accounting.h"
#include "daemon/intervals.h"
#include "daemon/storage.h"
#include "daemon/sampling.h"

/* The parts of the daemon that the actions below use. daemon.c owns these parts and creates them in
 * this order. */
struct opd_parts {
	const struct opd_config *cfg;
	struct opd_log log;
	struct opd_session session;
	struct opd_accounting accounting;
	struct opd_storage storage;
	struct opd_sampling sampling;
	struct opd_intervals intervals;
	/* names of the files that were created recently in the current session */
	struct opd_new_names new_names;
	bool finished;
	bool quit;		/* the main loop must end the daemon */
};

/* Start sampling. This function and the functions below return 0 or a negative errno. Starting a
 * running daemon, or stopping a stopped one, is not an error. */
int opd_start(struct opd_parts *p);
/* Stop sampling, and write all samples to disk. */
int opd_stop(struct opd_parts *p);
/* Write all samples taken so far to disk. */
int opd_dump(struct opd_parts *p);
/* Get the samples that are available without waiting, and store them in the mapped sample files,
 * where other programs see them. Do not write the files to disk. */
int opd_refresh(struct opd_parts *p);
/* Save the current session as @name, or delete it if @name is NULL, and start a new session. */
int opd_new_session(struct opd_parts *p, const char *name);
/* End the current session, rename it to @name in the directory @dirfd, and start a new session. Do
 * not wait for the disk. */
int opd_close_interval(struct opd_parts *p, int dirfd, const char *name);
/* Stop sampling and write all data to disk, before the daemon ends. Repeated calls do nothing. */
int opd_finish(struct opd_parts *p);

/* Open the log file again, and close all sample files. A sample file is opened again when it gets
 * samples. */
void opd_hang_up(struct opd_parts *p);

#endif
