/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h -- requests to ClickHouse's HTTP interface, and to collectors of OpenTelemetry.
 *
 * A request to ClickHouse has succeeded only if the server's answer is complete, has status 200 and
 * a header of ClickHouse, and contains no exception. After any other outcome of an INSERT, its rows
 * may or may not be in the table.
 */
#ifndef OPEXPORT_HTTP_H
#define OPEXPORT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "utils/opexport/target.h"

struct export_http;

struct export_request {
	const char *sql;
	const char *database;		/* default database; NULL: the server's */
	/* id of the query: the server refuses a second query with the id of a running one; NULL:
	 * the server chooses an id */
	const char *id;
	/* settings of the query, "NAME=VALUE&NAME=VALUE", encoded for a URL; NULL: no settings */
	const char *settings;
	/* data of an INSERT, and its encoding ("gzip" or "zstd"; NULL: not compressed); NULL: @sql
	 * is the body of the request */
	const void *body;
	size_t len;
	const char *encoding;
};

/* The answer of the server. .text is malloc'd, has .len bytes and a NUL after them. */
struct export_answer {
	char *text;
	size_t len;
};

/* Results of requests besides errno. */
enum export_http_error {
	/* error: the server refuses the user or the password */
	EXPORT_ERR_AUTH = -6200,
	EXPORT_ERR_EXCEPTION,	/* error: the server answered with an exception */
	/* error: the answer is not ClickHouse's, but a proxy's, for example */
	EXPORT_ERR_NOT_SERVER,
	EXPORT_ERR_NETWORK,	/* error: connecting failed, or the connection broke or timed out */
};

/* Prepare for requests to @target, which must outlive *@ret. @timeout: seconds after which a
 * request fails. @max_rate: maximum number of bytes sent in a second. Return 0 or -ENOMEM. */
int export_http_create(struct export_http **ret, const struct export_target *target, long timeout,
		       uint64_t max_rate);
void export_http_destroy(struct export_http *http);

/* Return the URL of the target, without user and password. */
const char *export_http_url(const struct export_http *http);

/* Stop the current request as soon as *@stop is set. @stop must outlive @http. */
void export_http_stop_on(struct export_http *http, const volatile int *stop);

/*
 * Send a request. Return 0, and the answer in *@ret, which the caller frees; @ret may be NULL if
 * the answer has to be empty. Otherwise return -ENOMEM or an enum export_http_error, with a
 * message.
 */
int export_http_send(struct export_http *http, const struct export_request *request,
		     struct export_answer *ret, struct op_reason *error);

/* The answer of a collector. */
struct export_reply {
	long status;
	long retry_after;	/* seconds, from the header Retry-After; 0: no such header */
	char type[64];		/* type of the content, in lower case, without parameters; or "" */
	const char *text;	/* valid until the next request; has a NUL after .len bytes */
	size_t len;
};

/* Post @len bytes at @body, compressed by gzip, to the URL of the target, as @type. Return 0 and
 * the answer, with any status; or -ENOMEM, or an enum export_http_error with a message, if the
 * answer is not complete. */
int export_http_post(struct export_http *http, const char *type, const void *body, size_t len,
		     struct export_reply *ret, struct op_reason *error);

/* Send the query @sql, and set *@ret to its answer as text. */
int export_http_query(struct export_http *http, const char *database, const char *sql,
		      struct export_answer *ret, struct op_reason *error);

#endif
