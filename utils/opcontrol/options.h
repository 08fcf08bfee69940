/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opcontrol's command line: one verb and its settings.
 */
#ifndef UTILS_OPCONTROL_OPTIONS_H
#define UTILS_OPCONTROL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/shared/daemonrc.h"

enum ctl_verb_id {
	CTL_VERB_NONE,		/* the command line has settings, but no verb */
	CTL_INIT,
	CTL_SETUP,
	CTL_START_DAEMON,
	CTL_START,
	CTL_DUMP,
	CTL_STOP,
	CTL_SHUTDOWN,
	CTL_RESET,
	CTL_SAVE,
	CTL_EXPORT,
	CTL_LIST_SESSIONS,
	CTL_DELETE,
	CTL_DEINIT,
	CTL_STATUS,
	CTL_LIST_EVENTS,
	CTL_WHY,
	CTL_PREPARE,
	CTL_DOCTOR,
	CTL_HELP,
	CTL_VERSION,
};

struct ctl_option {
	const struct op_setting *setting;
	char *value;		/* value of the option, malloc'd; NULL: the option has no value */
};

struct ctl_request {
	enum ctl_verb_id verb;
	/* name of the verb, such as "start"; NULL for CTL_VERB_NONE */
	const char *verb_name;
	/* name of the session, for --save and --delete; period of time, for --export and --why */
	char *name;
	char *directory;		/* target directory of --export, an absolute path */
	/* whether --arcs was given, so that --save also creates call-graph files */
	bool arcs;
	struct ctl_option *settings;	/* the settings, in the order of the command line */
	size_t nr_settings;
	/* session directory, an absolute path; also one of .settings */
	char *session_dir;
	char *config_file;		/* value of --config, or NULL */
	/* value of --verbose, which is passed to the daemon; NULL: not given */
	char *verbose;
};

/* Parse the command line into a zeroed @req. Return 0, -EINVAL for an invalid command line, or
 * another negative errno with a message in @error. */
int ctl_options_parse(struct ctl_request *req, int argc, char **argv, struct op_reason *error);
void ctl_request_release(struct ctl_request *req);

/* Check each setting of @req and store it in @cfg. Return 0, or a negative errno with a message in
 * @error. */
int ctl_options_apply(const struct ctl_request *req, struct op_settings *cfg,
		       struct op_reason *error);

/* Return whether the command line sets an event or a sampling frequency. */
bool ctl_options_choose_events(const struct ctl_request *req);

void ctl_options_help(FILE *to);

#endif
