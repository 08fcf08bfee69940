/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_cache.h -- opens the directory of tables in a user's cache, which all sessions of the user
 * share.
 */
#ifndef OPD_TABLES_CACHE_H
#define OPD_TABLES_CACHE_H

#include <stdbool.h>

struct opd_config;

/*
 * Open the directory of tables in the user's cache @cache. @by_reports: reports read these tables;
 * create a symbolic link in @samples_fd by which they find the directory. Return a descriptor.
 * Return a negative errno if the user has no cache, or if other users may write to it; -ENOTSUP if
 * the cache is not used, because a group may read the sessions but not the user's cache.
 */
int opd_tables_cache_open(const char *cache, const struct opd_config *cfg, int samples_fd,
			  bool by_reports);

#endif
