/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- opcontrol's verbs. They print their results to the file @out.
 */
#ifndef UTILS_OPCONTROL_VERBS_H
#define UTILS_OPCONTROL_VERBS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/settings.h"
#include "utils/opcontrol/options.h"
#include "utils/shared/daemon.h"

/*
 * Run the verb of @req. Return 0; -EINVAL if the verb and the options cannot be combined; or
 * another negative errno with a message in @error if the verb failed, completely or in part.
 */
int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error);

/*
 * Run --status: print the status of the daemon. @found: the daemon of cfg->session_dir. @other:
 * whether the daemon was started with settings different from @cfg. Return 0, or a negative errno
 * with a message in
 * @error.
 */
int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error);

/* Print the lines of --status about intervals: their size, and how far back they reach. @running:
 * value of "intervals" in the reply of the daemon that uses the session directory; NULL: no daemon
 * replied, so use the settings in @cfg. Print nothing if the session directory has no intervals or
 * cannot be read. */
void ctl_intervals_print(FILE *out, const struct op_settings *cfg, const char *running);

struct itv_plan_config;

/* Print a note if the daemon will delete intervals earlier than planned to respect the disk limit
 * in @config, because the present intervals in the session directory of @cfg are large. */
void ctl_intervals_note(FILE *out, const struct op_settings *cfg,
			const struct itv_plan_config *config);

/*
 * Run --export: sum the intervals of @period ("TIME..TIME") in the session directory @session_dir,
 * and write the sums to the session directory @to. @to must be empty or not exist. The sum of the
 * last kernel becomes the current session; sums of earlier kernels become saved sessions. Print a
 * summary on @out. Return 0, or a negative errno with a message in @error. After an error, @to is
 * as before.
 */
int ctl_export(FILE *out, const char *session_dir, const char *period, const char *to,
	       struct op_reason *error);

/* Run --why: print how the samples of @period (NULL: of the last minutes) differ from the
 * samples at the same time of day on earlier days. Return 0, or a negative errno with a message
 * in @error. */
int ctl_why(FILE *out, const char *session_dir, const char *period, struct op_reason *error);

/* Run --list-sessions: print for each session of a session directory its number of samples, its
 * size on disk, and the times of its first and last sample file. Return 0, or a negative errno with
 * a message in @error. */
int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error);

#endif
