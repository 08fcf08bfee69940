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

#endif
