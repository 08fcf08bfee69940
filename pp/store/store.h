/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h -- reads the samples of a report from a ClickHouse database (doc/fleet.md).
 *
 * The answer becomes a temporary session directory, with one interval for each time and column. So
 * all later stages work as for a directory or an archive.
 */
#ifndef PP_STORE_STORE_H
#define PP_STORE_STORE_H

#include "pp/base/log.h"
#include "pp/session/spec.h"
#include "pp/session/store.h"

/* The columns of a report. */
enum pp_store_by {
	PP_BY_NONE,
	PP_BY_HOST,
	PP_BY_SERVICE,
	PP_BY_VERSION,
	PP_BY_TIME,
};

struct pp_store_options {
	/* path of the file with the password, and of the files of TLS; NULL: not given */
	const char *password_file, *ca, *cert, *key;
	long timeout;		/* seconds after which a query fails */
	enum pp_store_by by;
	/* number of symbols of --worst, with by host: if there are too many hosts for columns, read
	 * only the samples of those that differ most; 0: read all */
	unsigned int worst;
};

/* Read the samples that @spec selects. If it selects no time, read those of the last hour. Return 0
 * or a negative error with a message in the log. */
int pp_store_open(struct pp_store **ret, struct pp_spec *spec,
		  const struct pp_store_options *options, struct pp_log *log);
/* Delete the temporary directory, and free @store, which may be NULL. */
void pp_store_close(struct pp_store *store);

#endif
