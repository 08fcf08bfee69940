/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * curl.h -- the functions of libcurl, which is loaded by dlopen(): a report that reads no database
 * must neither need the library nor wait for it.
 */
#ifndef FLEET_CURL_H
#define FLEET_CURL_H

#include <curl/curl.h>

#include "libop/base/reason.h"

struct fleet_curl {
	__typeof__(curl_global_init) *global_init;
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_setopt) *set;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_getinfo) *get;
	__typeof__(curl_easy_cleanup) *cleanup;
	__typeof__(curl_easy_escape) *escape;
	__typeof__(curl_easy_strerror) *error_text;
	__typeof__(curl_free) *free;
	__typeof__(curl_slist_append) *append;
	__typeof__(curl_slist_free_all) *free_list;
};

/* Load libcurl into *@ret. It is never unloaded, because its TLS library cannot be. Return 0, or
 * -ENOSYS with a message. */
int fleet_curl_load(struct fleet_curl *ret, struct op_reason *error);

#endif
