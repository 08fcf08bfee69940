/* SPDX-License-Identifier: GPL-2.0-or-later */
/* features.h -- what the server can do: ClickHouse of 2018 knows neither TTL nor deduplication. */
#ifndef OPEXPORT_FEATURES_H
#define OPEXPORT_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/opexport/http.h"

struct export_features {
	char version[32];
	int64_t now;		/* time of the server's clock, in seconds since 1970 */
	bool has_ttl;		/* tables can delete old rows themselves */
	bool has_low_cardinality;
	/* an INSERT with a token that the table has seen is ignored */
	bool has_tokens;
	bool has_async;		/* the server may collect rows of several INSERTs first */
};

/* Ask the server. Return 0, -ENOMEM or an enum export_http_error, with a message. */
int export_features_read(struct export_features *ret, struct export_http *http,
			 struct op_reason *error);

/* Parse the answer to the query, "VERSION\tNOW\tNAME,NAME...". Return 0 or -EINVAL. Declared for
 * tests. */
int export_features_parse(struct export_features *ret, const char *text);

#endif
