/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- creation, main loop and destruction of the daemon.
 */
#ifndef OPD_DAEMON_H
#define OPD_DAEMON_H


#include "libop/base/reason.h"

struct opd;
struct opd_config;

/*
 * Create the daemon: lock the session, open the source of samples and the control socket. The
 * daemon uses @cfg until opd_destroy(), and changes it when it reloads its configuration
 * (reload.h). Call opd_block_signals() first. Return 0, or a negative errno with the cause and the
 * remedy in @error.
 */
int opd_create(struct opd **ret, struct opd_config *cfg, struct op_reason *error);

/* Stop copying log messages to the terminal; the log file still gets all messages. Call this at
 * most once. */
void opd_quiet(struct opd *o);

/* Run the daemon until a request or a signal ends it. All data is on disk when the function
 * returns. Return 0, or a negative errno if the source of samples failed. */
int opd_run(struct opd *o);

/* Destroy @o, which may be NULL. */
void opd_destroy(struct opd *o);

/* Block the signals that opd_run() receives through a signalfd. Call this before any thread or
 * process is created. */
void opd_block_signals(void);

#endif
