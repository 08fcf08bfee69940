/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h -- samples of many hosts that were read from a database: a temporary session directory
 * with intervals, and the names of their functions. pp/store/ reads the database.
 */
#ifndef PP_SESSION_STORE_H
#define PP_SESSION_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/session/scratch.h"
#include "pp/source/names.h"

struct pp_store {
	/* the session directory with the intervals */
	struct pp_scratch scratch;
	struct pp_names names;
	size_t nr_hosts;
	int64_t first;		/* begin of the first interval of these hosts in the database */
	/* titles of the columns of --by: the samples of column i are in the intervals of the kernel
	 * number i + 1 */
	char **columns;
	size_t nr_columns;
	const char *column;	/* "host", "service", "version" or "time"; NULL: no columns */
};

#endif
