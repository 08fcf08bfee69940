/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opcontrol's command line: one verb, and the settings that go with it.
 */
#ifndef UTILS_OPCONTROL_OPTIONS_H
#define UTILS_OPCONTROL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/shared/settings.h"

enum ctl_verb_id {
	CTL_VERB_NONE,		/* settings alone */
	CTL_INIT,
	CTL_SETUP,
	CTL_START_DAEMON,
	CTL_START,
	CTL_DUMP,
	CTL_STOP,
	CTL_SHUTDOWN,
	CTL_RESET,
	CTL_SAVE,
	CTL_LIST_SESSIONS,
	CTL_DELETE,
	CTL_DEINIT,
	CTL_STATUS,
	CTL_LIST_EVENTS,
	CTL_PREPARE,
	CTL_HELP,
	CTL_VERSION,
};

struct ctl_option {
	const struct op_setting *setting;
	char *value;		/* NULL for options without one */
};

struct ctl_request {
	enum ctl_verb_id verb;
	const char *verb_name;		/* "start"; NULL with CTL_VERB_NONE */
	char *name;			/* of a session: --save, --delete */
	bool arcs;			/* --save: call-graph files, too */
	struct ctl_option *settings;	/* to be remembered, in order */
	size_t nr_settings;
	char *session_dir;		/* absolute; also one of the settings */
	char *config_file;		/* --config, or NULL */
	char *verbose;			/* the daemon's --verbose argument, or NULL */
};

/* Into a zeroed @req. 0, or negative errno with text: -EINVAL a wrong command line. */
int ctl_options_parse(struct ctl_request *req, int argc, char **argv, struct op_reason *error);
void ctl_request_release(struct ctl_request *req);

/* Carries the settings over into @cfg, checking each. Negative errno with text. */
int ctl_options_apply(const struct ctl_request *req, struct op_settings *cfg,
		       struct op_reason *error);

/* Some event is among the settings. */
bool ctl_options_choose_events(const struct ctl_request *req);

void ctl_options_help(FILE *to);

#endif
