/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- opcontrol's verbs, which print their results to a file @out.
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
 * Run the verb of @req. Return 0; -EINVAL if verb and options cannot be combined; or another
 * negative errno with a message in @error, if the verb failed or was only partially done.
 */
int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error);

/*
 * Print the status. @found: the daemon of cfg->session_dir. @other: that daemon was started with
 * other settings than @cfg. Return 0, or a negative errno with a message in @error.
 */
int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error);

/* Print the lines of --status about intervals: how far back they reach, and their size. @running:
 * value of "intervals" in the reply of the daemon that uses the session directory of @cfg; NULL: no
 * daemon replied, use the settings in @cfg. Print nothing if the session directory has no intervals
 * or cannot be read. */
void ctl_intervals_print(FILE *out, const struct op_settings *cfg, const char *running);

struct itv_plan_config;

/* Print a note if the disk limit in @config will delete intervals earlier than planned, because the
 * intervals in the session directory of @cfg are large. */
void ctl_intervals_note(FILE *out, const struct op_settings *cfg,
			const struct itv_plan_config *config);

/*
 * Run --export: add up the intervals of @period ("TIME..TIME") in the session directory
 * @session_dir, and write the sum to the session directory @to, which must be missing or empty. The
 * sum of the last kernel becomes the current session; sums of earlier kernels become saved
 * sessions. Print a summary on @out. Return 0, or a negative errno with a message in @error; then
 * @to is as before.
 */
int ctl_export(FILE *out, const char *session_dir, const char *period, const char *to,
	       struct op_reason *error);

/* Run --why: print how the samples of @period (NULL: the last minutes) differ from those of the
 * same hour on the days before. Return 0, or a negative errno with a message in @error. */
int ctl_why(FILE *out, const char *session_dir, const char *period, struct op_reason *error);

/* Run --list-sessions: print the sessions of a session directory, with samples, size on disk, and
 * the times of the first and last sample file. */
int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error);

#endif
