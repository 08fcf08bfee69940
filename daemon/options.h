/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- parsing and checking of oprofiled's command line.
 */
#ifndef OPD_OPTIONS_H
#define OPD_OPTIONS_H

#include <stdio.h>

#include "daemon/base/configuration.h"

enum opd_parse {
	/* the options are valid: the caller runs the daemon */
	OPD_PARSE_RUN,
	/* --help or --version was printed: the caller exits */
	OPD_PARSE_DONE,
	/* an option is invalid, and an error was printed to @err: the caller exits with an error */
	OPD_PARSE_ERROR,
};

/* Parse the command line into @cfg, which need not be initialized. The caller calls
 * opd_config_release() in all cases. */
enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err);

/* The functions below are for config_file.c. They return 0 or a negative errno, and print error
 * messages to @err. */

/* Set one setting to @value, as its command line option does. */
int opd_config_set(struct opd_config *cfg, const struct op_setting *row, const char *value,
		   FILE *err);
/* Add the events in @list to @cfg, as --events does. */
int opd_config_add_events(struct opd_config *cfg, const char *list, FILE *err);
/* Remove all events from @cfg. */
void opd_config_clear_events(struct opd_config *cfg);
/* Check the settings that depend on each other, and compute the members of @cfg that are derived
 * from the settings. */
int opd_config_complete(struct opd_config *cfg, FILE *err);

#endif
