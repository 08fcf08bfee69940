/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- the daemon as a whole: made, run, ended.
 */
#ifndef OPD_DAEMON_H
#define OPD_DAEMON_H


#include "libop/base/reason.h"

struct opd;
struct opd_config;

/*
 * Takes the session, opens the source and the control socket. @cfg must outlive it. On failure a
 * sentence that tells cause and way out is in @why. Signals must be blocked as opd_signals() says.
 */
int opd_create(struct opd **ret, const struct opd_config *cfg, struct op_reason *why);

/* Call this once, when messages shall no longer go to the terminal. */
void opd_quiet(struct opd *o);

/* Works until told to end; all data is on disk then. 0, or negative errno when the source failed. */
int opd_run(struct opd *o);

/* Takes NULL. */
void opd_destroy(struct opd *o);

/* Blocks the signals that opd_run() takes from a descriptor; before any thread or fork. */
void opd_block_signals(void);

#endif
