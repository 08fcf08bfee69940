/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- opcontrol's verbs, which print their results on @out.
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
 * Run the verb of @req, and print its results on @out. Return 0; -EINVAL if the combination of verb
 * and options has no meaning; or another negative errno with a message in @error, if the verb
 * failed or did only a part of its work.
 */
int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error);

/*
 * Run --status: print the status. @found: the daemon of cfg->session_dir. @other: the daemon was
 * started with other settings than @cfg. Return 0, or a negative errno with a message in @error.
 */
int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error);

/* Print the lines of --status about intervals: how far back they reach, and how much space they
 * take. @running: the value of "intervals" in the answer of the daemon that uses the session
 * directory of @cfg; NULL if no daemon answered, then the settings are those of @cfg. Print nothing
 * if the session directory has no intervals or cannot be read. */
void ctl_intervals_print(FILE *out, const struct op_settings *cfg, const char *running);

struct itv_plan_config;

/* Print a note if the limit of the disk in @config keeps intervals for a shorter time than its
 * plan, because the intervals in the session directory of @cfg are large. */
void ctl_intervals_note(FILE *out, const struct op_settings *cfg,
			const struct itv_plan_config *config);

/*
 * Run --export: add up the intervals of @period ("TIME..TIME") in the session directory
 * @session_dir, and write the sum to the session directory @to, which must be missing or empty. The
 * sum of the last kernel is the current session, and the sums of earlier kernels are saved
 * sessions. Print a summary to @out. Return 0, or a negative errno with text; then @to is as
 * before.
 */
int ctl_export(FILE *out, const char *session_dir, const char *period, const char *to,
	       struct op_reason *error);

/* Run --why: print how the samples of @period, or of the present if it is NULL, differ from those
 * of the same hour of the days before. Return 0, or a negative errno with a message in @error. */
int ctl_why(FILE *out, const char *session_dir, const char *period, struct op_reason *error);

/* Run --list-sessions: print the sessions of a session directory: samples, size on disk, first
 * and last time. */
int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error);

#endif
