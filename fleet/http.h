/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h -- requests to ClickHouse's HTTP interface, and to collectors of OpenTelemetry.
 *
 * A request to ClickHouse has succeeded only if the server's answer is complete, has status 200 and
 * a header of ClickHouse, and contains no exception. After any other outcome of an INSERT, its rows
 * may or may not be in the table.
 */
#ifndef FLEET_HTTP_H
#define FLEET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "fleet/target.h"

struct fleet_http;

struct fleet_http_options {
	const char *agent;	/* name of the program, for the header User-Agent */
	long timeout;		/* seconds after which a request fails */
	uint64_t max_rate;	/* maximum number of bytes sent in a second; 0: no limit */
};

struct fleet_request {
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
	/* maximum length of the answer in bytes; 0: 4 MB */
	size_t max_answer;
	/* the answer is binary, so it may contain any text: do not search it for an exception */
	bool is_data;
};

/* The answer of the server. .text is malloc'd, has .len bytes and a NUL after them. */
struct fleet_answer {
	char *text;
	size_t len;
};

/* Results of requests besides errno. */
enum fleet_http_error {
	/* error: the server refuses the user or the password */
	FLEET_ERR_AUTH = -6200,
	FLEET_ERR_EXCEPTION,	/* error: the server answered with an exception */
	/* error: the answer is not from ClickHouse, but from a proxy, for example */
	FLEET_ERR_NOT_SERVER,
	FLEET_ERR_NETWORK,	/* error: connecting failed, or the connection broke or timed out */
	FLEET_ERR_TOO_LONG,	/* error: the answer is longer than the request allows */
};

/* Load libcurl, and prepare for requests to @target, which must outlive *@ret. Return 0, -ENOMEM,
 * or -ENOSYS with a message: libcurl cannot be loaded. */
int fleet_http_create(struct fleet_http **ret, const struct fleet_target *target,
		      const struct fleet_http_options *options, struct op_reason *error);
void fleet_http_destroy(struct fleet_http *http);

/* Return the URL of the target, without user and password. */
const char *fleet_http_url(const struct fleet_http *http);

/* Stop the current request as soon as *@stop is set. @stop must outlive @http. */
void fleet_http_stop_on(struct fleet_http *http, const volatile int *stop);

/*
 * Send a request. Return 0, and the answer in *@ret, which the caller frees; @ret may be NULL if
 * the answer has to be empty. Otherwise return -ENOMEM or an enum fleet_http_error, with a
 * message.
 */
int fleet_http_send(struct fleet_http *http, const struct fleet_request *request,
		    struct fleet_answer *ret, struct op_reason *error);

/* Send the query @sql, and set *@ret to its answer as text. */
int fleet_http_query(struct fleet_http *http, const char *database, const char *sql,
		     struct fleet_answer *ret, struct op_reason *error);

/* The answer of a collector. */
struct fleet_reply {
	long status;
	long retry_after;	/* seconds, from the header Retry-After; 0: no such header */
	char type[64];		/* type of the content, in lower case, without parameters; or "" */
	const char *text;	/* valid until the next request; has a NUL after .len bytes */
	size_t len;
};

/* Post @len bytes at @body, compressed by gzip, to the URL of the target, as @type. Return 0 and
 * the answer, with any status; or -ENOMEM, or an enum fleet_http_error with a message, if the
 * answer is not complete. */
int fleet_http_post(struct fleet_http *http, const char *type, const void *body, size_t len,
		    struct fleet_reply *ret, struct op_reason *error);

#endif
