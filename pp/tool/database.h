/* SPDX-License-Identifier: GPL-2.0-or-later */
/* database.h -- the options of a report that reads a database of many hosts, and their checks. */
#ifndef PP_TOOL_DATABASE_H
#define PP_TOOL_DATABASE_H

#include <popt.h>

#include "pp/format/format.h"
#include "pp/store/store.h"
#include "pp/tool/common.h"

struct pp_database {
	/* arguments of options, freed by pp_database_release(); NULL: option not given */
	char *password_file, *ca, *cert, *key, *by_word;
	long timeout;		/* --timeout in seconds; 0: not given */
	long worst;		/* --worst: number of symbols; 0: not given */
	enum pp_store_by by;
	/* the samples of both sides of a differential profile, or of the report; NULL: no
	 * database */
	struct pp_store *stores[2];
};

#define PP_DATABASE_ROWS	8	/* number of rows of the table below, with its end */

/* Write the table of the options, whose values popt stores in @database, to @rows. */
void pp_database_table(struct poptOption rows[PP_DATABASE_ROWS], struct pp_database *database);

/*
 * Convert the values of the options. If the report reads a database, check that the database can
 * answer it; otherwise check that no option needs one. Return 0, or -EINVAL with a message.
 */
int pp_database_check(struct pp_database *database, const struct pp_common *common,
		      const struct pp_format_options *format, const struct pp_format_ops *ops,
		      struct pp_log *log);

/* Read the samples of @common's specifications, if they name a database. Return 0, or a negative
 * error with a message. */
int pp_database_open(struct pp_database *database, struct pp_common *common, struct pp_log *log);
void pp_database_release(struct pp_database *database);

#endif
