// SPDX-License-Identifier: GPL-2.0-or-later
/* tables_cache.c -- opens the directory of tables in a user's cache. */
#include "config.h"
#include "daemon/store/tables_cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "libop/base/cache_dir.h"
#include "libop/session/identity.h"

#define NEW_CACHE_LINK	OP_CACHE_LINK ".new"

/* Create, in the directory of the sessions, a symbolic link to the tables in @cache, so that
 * reports find them. Return 0 or a negative errno. */
static int link_cache(const char *cache, int samples_fd)
{
	char path[PATH_MAX], old[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/" OP_CACHE_TABLES_DIR, cache);
	ssize_t old_len = readlinkat(samples_fd, OP_CACHE_LINK, old, sizeof(old));

	if (len >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (old_len == len && !memcmp(old, path, (size_t)len))
		return 0;
	unlinkat(samples_fd, NEW_CACHE_LINK, 0);
	if (symlinkat(path, samples_fd, NEW_CACHE_LINK) ||
	    renameat(samples_fd, NEW_CACHE_LINK, samples_fd, OP_CACHE_LINK))
		return -errno;
	return 0;
}

int opd_tables_cache_open(const char *cache, const struct opd_config *cfg, int samples_fd,
			  bool by_reports)
{
	int err, fd;

	if (by_reports && cfg->group != (gid_t)-1)
		return -ENOTSUP;
	fd = op_cache_tables_open(cache);
	err = fd < 0 ? fd : by_reports ? link_cache(cache, samples_fd) : 0;
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
