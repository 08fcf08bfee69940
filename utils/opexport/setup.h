/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h -- makes or upgrades the tables, and checks them. */
#ifndef OPEXPORT_SETUP_H
#define OPEXPORT_SETUP_H

#include <stdbool.h>
#include <stdio.h>

#include "fleet/http.h"
#include "pp/base/log.h"
#include "utils/opexport/features.h"

/* error: the database has no tables, or the tables of another version */
#define EXPORT_ERR_SCHEMA	(-6300)

struct export_setup {
	struct fleet_http *http;
	const char *database;
	unsigned int days;		/* age at which rows are deleted */
	bool dry_run;			/* only print the statements */
	FILE *out;			/* statements, and the summary, are printed here */
	struct pp_log *log;
};

/* Make the missing tables, upgrade tables of an earlier version, and set the age at which their
 * rows are deleted. Idempotent; several hosts may do it at the same time. Return 0, or a negative
 * error with a message in the log. */
int export_setup(const struct export_setup *setup);

/* Check that the database has the tables of this version. Return 0, or EXPORT_ERR_SCHEMA, -ENOMEM
 * or an enum fleet_http_error with a message. */
int export_setup_check(struct fleet_http *http, const char *database, struct op_reason *error);

#endif
