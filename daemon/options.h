/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- parses and checks the command line of oprofiled.
 */
#ifndef OPD_OPTIONS_H
#define OPD_OPTIONS_H

#include <stdio.h>

#include "daemon/base/configuration.h"

enum opd_parse {
	OPD_PARSE_RUN,		/* *cfg is complete */
	OPD_PARSE_DONE,		/* --help or --version was printed */
	OPD_PARSE_ERROR,	/* the reason has been written to @err */
};

/* Parse the command line into @cfg, which is uninitialized. The caller must call
 * opd_config_release() in all cases. */
enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err);

#endif
