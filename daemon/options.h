/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- parsing and checks of oprofiled's command line.
 */
#ifndef OPD_OPTIONS_H
#define OPD_OPTIONS_H

#include <stdio.h>

#include "daemon/base/configuration.h"

enum opd_parse {
	/* result: run the daemon, because the options are complete and correct */
	OPD_PARSE_RUN,
	/* result: exit, because the text of --help or --version was printed */
	OPD_PARSE_DONE,
	OPD_PARSE_ERROR,	/* result: exit with an error, which was printed to @err */
};

/* Parse the command line into @cfg, which is uninitialized. The caller must call
 * opd_config_release() in all cases. */
enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err);

/* The functions below are for config_file.c. They return 0 or a negative errno, and print the cause
 * to @err. */

/* Set one setting of opcontrol and oprofiled, as its option does. */
int opd_config_set(struct opd_config *cfg, const struct op_setting *row, const char *value,
		   FILE *err);
/* Add events, as --events does. */
int opd_config_add_events(struct opd_config *cfg, const char *list, FILE *err);
/* Forget all events. */
void opd_config_clear_events(struct opd_config *cfg);
/* Check the settings that depend on each other, and derive the other members of @cfg from them. */
int opd_config_complete(struct opd_config *cfg, FILE *err);

#endif
