// SPDX-License-Identifier: GPL-2.0-or-later
/* debuginfod.c -- calls of libdebuginfod, which is loaded by dlopen(). */
#include "config.h"
#include "pp/image/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clock.h"

#define LIBRARY		"libdebuginfod.so.1"
#define FIRST_BYTE_MS	10000	/* timeout for the first byte from a server, in ms */
#define MAX_MS		600000	/* timeout for downloading a file, in ms */
/* default of .max_bytes, which $DEBUGINFOD_MAXSIZE overrides */
#define MAX_BYTES	(4ull << 30)

/* Types of libdebuginfod's functions, as its manual declares them, because the library's header may
 * not be installed. */
typedef struct debuginfod_client client;
typedef client *(*begin_fn)(void);
typedef void (*end_fn)(client *c);
typedef int (*find_fn)(client *c, const unsigned char *build_id, int len, char **path);
typedef int (*progress_fn)(client *c, long a, long b);
typedef void (*set_progress_fn)(client *c, progress_fn fn);
typedef void (*set_data_fn)(client *c, void *data);
typedef void *(*get_data_fn)(client *c);

struct pp_debuginfod {
	/* serializes calls of the client; also protects all following members */
	pthread_mutex_t lock;
	void *library;
	client *client;
	end_fn end;
	find_fn find[2];	/* functions of libdebuginfod, indexed by enum pp_debuginfod_kind */
	bool given_up;
	uint64_t begun_ms;	/* start time of the current request in ms */
	uint64_t max_bytes;	/* maximum size of a download, in bytes */
};

/* Decide whether a request continues. libdebuginfod calls this function periodically, and cancels
 * the request if the result is not 0. The user data of @c is the struct pp_debuginfod to which @c
 * belongs. libdebuginfod's function that returns the user data is found with dlsym(). */
static int progress(client *c, long a, long b)
{
	get_data_fn get_data = (get_data_fn)dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
	struct pp_debuginfod *d = get_data ? get_data(c) : NULL;

	(void)b;
	return d && (op_now_ms() - d->begun_ms > (a <= 0 ? FIRST_BYTE_MS : MAX_MS) ||
		     (a > 0 && (uint64_t)a > d->max_bytes));
}

static uint64_t find_max_bytes(void)
{
	const char *text = getenv("DEBUGINFOD_MAXSIZE");
	uint64_t bytes = text ? strtoull(text, NULL, 10) : 0;

	return bytes ? bytes : MAX_BYTES;
}

static int load(struct pp_debuginfod *d)
{
	begin_fn begin;
	set_progress_fn set_progress;
	set_data_fn set_data;

	/* RTLD_GLOBAL: progress() looks up functions of the library with dlsym(). */
	d->library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
	if (!d->library)
		return -ENOSYS;
	begin = (begin_fn)dlsym(d->library, "debuginfod_begin");
	set_progress = (set_progress_fn)dlsym(d->library, "debuginfod_set_progressfn");
	set_data = (set_data_fn)dlsym(d->library, "debuginfod_set_user_data");
	d->end = (end_fn)dlsym(d->library, "debuginfod_end");
	d->find[PP_DEBUGINFOD_DEBUG] = (find_fn)dlsym(d->library, "debuginfod_find_debuginfo");
	d->find[PP_DEBUGINFOD_BINARY] = (find_fn)dlsym(d->library, "debuginfod_find_executable");
	if (!begin || !set_progress || !set_data || !d->end || !d->find[0] || !d->find[1])
		return -ENOSYS;
	d->client = begin();
	if (!d->client)
		return -ENOMEM;
	set_data(d->client, d);
	set_progress(d->client, progress);
	return 0;
}

struct pp_debuginfod *pp_debuginfod_create(struct pp_log *log)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct pp_debuginfod *d;

	if (!urls || !*urls) {
		pp_warn(log, "--debuginfod: no downloads, because DEBUGINFOD_URLS is not set");
		return NULL;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	pthread_mutex_init(&d->lock, NULL);
	d->max_bytes = find_max_bytes();
	/* libdebuginfod cancels a download that takes longer than this for 100 KB, in seconds; the
	 * default is 90 */
	setenv("DEBUGINFOD_TIMEOUT", "15", 0);
	if (load(d)) {
		pp_warn(log,
			"--debuginfod: " LIBRARY " is not installed, so no files are downloaded");
		pp_debuginfod_destroy(d);
		return NULL;
	}
	return d;
}

void pp_debuginfod_destroy(struct pp_debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	if (d->library)
		dlclose(d->library);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* Convert a build-id from hex to bytes. Return the number of bytes, or 0 if @hex is not a
 * build-id. */
static int parse_id(const char *hex, unsigned char id[64])
{
	size_t n = strlen(hex);

	if (n % 2 || n > 128)
		return 0;
	for (size_t i = 0; i < n; i += 2) {
		char pair[3] = { hex[i], hex[i + 1], '\0' }, *end;

		id[i / 2] = strtoul(pair, &end, 16);
		if (*end)
			return 0;
	}
	return n / 2;
}

int pp_debuginfod_find(struct pp_debuginfod *d, enum pp_debuginfod_kind kind, const char *build_id,
		       char **ret_path, struct pp_log *log)
{
	unsigned char id[64];
	int len = build_id ? parse_id(build_id, id) : 0;
	char *path = NULL;
	int fd = -ENOENT;

	if (!d || !len)
		return -ENOENT;
	pthread_mutex_lock(&d->lock);
	if (!d->given_up) {
		d->begun_ms = op_now_ms();
		fd = d->find[kind](d->client, id, len, &path);
		if (fd < 0 && fd != -ENOENT && fd != -ENOMEM) {
			d->given_up = 1;
			pp_warn(log, "debuginfod: no answer (%s), so the servers are not used "
				     "again; local files are still used",
				strerror(-fd));
		}
	}
	pthread_mutex_unlock(&d->lock);
	if (fd >= 0)
		*ret_path = path;
	else
		free(path);
	return fd >= 0 || fd == -ENOMEM ? fd : -ENOENT;
}
