/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- parsing and checking of oprofiled's command line.
 */
#ifndef OPD_OPTIONS_H
#define OPD_OPTIONS_H

#include <stdio.h>

#include "daemon/base/configuration.h"

enum opd_parse {
	/* the options are valid: run the daemon */
	OPD_PARSE_RUN,
	/* --help or --version was printed: exit */
	OPD_PARSE_DONE,
	OPD_PARSE_ERROR,	/* an error was printed to @err: exit with an error */
};

/* Parse the command line into @cfg, which need not be initialized. The caller calls
 * opd_config_release() in all cases. */
enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err);

/* The functions below are for config_file.c. They return 0 or a negative errno, and print error
 * messages to @err. */

/* Set one setting to @value, as its option does. */
int opd_config_set(struct opd_config *cfg, const struct op_setting *row, const char *value,
		   FILE *err);
/* Add the events in @list, as --events does. */
int opd_config_add_events(struct opd_config *cfg, const char *list, FILE *err);
/* Remove all events. */
void opd_config_clear_events(struct opd_config *cfg);
/* Check settings that depend on each other, and compute the other members of @cfg from the
 * settings. */
int opd_config_complete(struct opd_config *cfg, FILE *err);

#endif
