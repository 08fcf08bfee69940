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
 * Create the daemon: lock the session, open the source of samples and the control socket. @cfg must
 * outlive *@ret, which changes it when the configuration is read again (reload.h). Call
 * opd_block_signals() first. Return 0, or a negative errno with the cause and the remedy in @error.
 */
int opd_create(struct opd **ret, struct opd_config *cfg, struct op_reason *error);

/* Stop writing log messages to the terminal; the log file still gets them. Call this function at
 * most once. */
void opd_quiet(struct opd *o);

/* Run the daemon until a request or signal ends it; then all data is on disk. Return 0, or a
 * negative errno if the source failed. */
int opd_run(struct opd *o);

/* Destroy the daemon. @o may be NULL. */
void opd_destroy(struct opd *o);

/* Block the signals that opd_run() receives through a descriptor. Call this function before any
 * thread or process is created. */
void opd_block_signals(void);

#endif
