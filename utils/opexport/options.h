/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h -- the command line of opexport. */
#ifndef OPEXPORT_OPTIONS_H
#define OPEXPORT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "fleet/http.h"
#include "fleet/target.h"
#include "libop/base/reason.h"

struct export_options {
	struct fleet_target target;
	struct fleet_http_options http;	/* .timeout: --timeout */
	char *to, *otlp, *password_file, *ca, *cert, *key;	/* values of the options */
	bool setup_db, dry_run;
	unsigned int keep_days;		/* --keep; 0: not given */
	char *session_dir, *cursor;	/* values of the options */
	bool service;
	int64_t since, until;		/* export intervals in this time, in seconds since 1970 */
	size_t rows;			/* --rows; 0: all */
	long every;			/* --every: seconds between two searches for intervals */
};

#define EXPORT_OPTIONS_DONE	1	/* --help, --usage or --version was printed */

/* Parse the command line. Return 0, EXPORT_OPTIONS_DONE, or a negative errno with a message. */
int export_options_parse(struct export_options *ret, int argc, char **argv, FILE *out,
			 struct op_reason *error);
/* Free the contents of @options, which may be zeroed. */
void export_options_release(struct export_options *options);

#endif
