// SPDX-License-Identifier: GPL-2.0-or-later
/* http_none.c -- replaces http.c in a build without libcurl: each request fails. */
#include "config.h"
#include "fleet/http.h"

#include <errno.h>
#include <stddef.h>

int fleet_http_create(struct fleet_http **ret, const struct fleet_target *target,
		      const struct fleet_http_options *options, struct op_reason *error)
{
	(void)ret;
	(void)target;
	(void)options;
	return op_fail(error, -ENOSYS, "cannot read a database: this program was built without "
		       "libcurl");
}

void fleet_http_destroy(struct fleet_http *http)
{
	(void)http;
}

const char *fleet_http_url(const struct fleet_http *http)
{
	(void)http;
	return "";
}

void fleet_http_stop_on(struct fleet_http *http, const volatile int *stop)
{
	(void)http;
	(void)stop;
}

int fleet_http_send(struct fleet_http *http, const struct fleet_request *request,
		    struct fleet_answer *ret, struct op_reason *error)
{
	(void)http;
	(void)request;
	(void)ret;
	return op_fail(error, -ENOSYS, "built without libcurl");
}

int fleet_http_query(struct fleet_http *http, const char *database, const char *sql,
		     struct fleet_answer *ret, struct op_reason *error)
{
	(void)database;
	(void)sql;
	return fleet_http_send(http, NULL, ret, error);
}

int fleet_http_post(struct fleet_http *http, const char *type, const void *body, size_t len,
		    struct fleet_reply *ret, struct op_reason *error)
{
	(void)http;
	(void)type;
	(void)body;
	(void)len;
	(void)ret;
	return op_fail(error, -ENOSYS, "built without libcurl");
}
