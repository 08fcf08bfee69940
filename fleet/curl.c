// SPDX-License-Identifier: GPL-2.0-or-later
/* curl.c -- loads libcurl. */
#include "config.h"
#include "fleet/curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

/* libcurl with OpenSSL, and Debian's name of libcurl with GnuTLS. */
static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static const struct {
	const char *name;
	size_t at;		/* offset of the pointer in struct fleet_curl */
} functions[] = {
	{ "curl_global_init", offsetof(struct fleet_curl, global_init) },
	{ "curl_easy_init", offsetof(struct fleet_curl, init) },
	{ "curl_easy_setopt", offsetof(struct fleet_curl, set) },
	{ "curl_easy_perform", offsetof(struct fleet_curl, perform) },
	{ "curl_easy_getinfo", offsetof(struct fleet_curl, get) },
	{ "curl_easy_cleanup", offsetof(struct fleet_curl, cleanup) },
	{ "curl_easy_escape", offsetof(struct fleet_curl, escape) },
	{ "curl_easy_strerror", offsetof(struct fleet_curl, error_text) },
	{ "curl_free", offsetof(struct fleet_curl, free) },
	{ "curl_slist_append", offsetof(struct fleet_curl, append) },
	{ "curl_slist_free_all", offsetof(struct fleet_curl, free_list) },
};

int fleet_curl_load(struct fleet_curl *ret, struct op_reason *error)
{
	struct fleet_curl curl;
	void *library = NULL;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !library; i++)
		library = dlopen(libraries[i], RTLD_NOW | RTLD_NODELETE);
	if (!library)
		return op_fail(error, -ENOSYS, "cannot load libcurl, which talks to the server: "
			       "install the package libcurl4");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return op_fail(error, -ENOSYS, "libcurl has no function %s: install libcurl "
				       "7.85 or later", functions[i].name);
		memcpy((char *)&curl + functions[i].at, &function, sizeof(function));
	}
	if (curl.global_init(CURL_GLOBAL_DEFAULT))
		return op_fail(error, -ENOSYS, "cannot initialize libcurl");
	*ret = curl;
	return 0;
}
