/* SPDX-License-Identifier: GPL-2.0-or-later */
/* features.h -- the features of the server: ClickHouse 18.16 has neither TTL nor deduplication. */
#ifndef OPEXPORT_FEATURES_H
#define OPEXPORT_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/http.h"

struct export_features {
	char version[32];
	int64_t now;		/* time of the server's clock, in seconds since 1970 */
	bool has_ttl;		/* tables can delete old rows themselves */
	bool has_low_cardinality;
	/* the server ignores an INSERT with the token of an earlier INSERT into the same table */
	bool has_tokens;
	/* the server can collect the rows of several INSERTs before it stores them */
	bool has_async;
	bool has_zstd;		/* the server takes bodies in zstd */
};

/* Query the features of the server. Return 0, -ENOMEM or an enum fleet_http_error, with a
 * message. */
int export_features_read(struct export_features *ret, struct fleet_http *http,
			 struct op_reason *error);

/* Parse the answer to the query, "VERSION\tNOW\tNAME,NAME...". Return 0 or -EINVAL. Declared for
 * tests. */
int export_features_parse(struct export_features *ret, const char *text);

#endif
