/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_cache.h -- opens the directory of tables in a user's cache, which sessions share. */
#ifndef OPD_TABLES_CACHE_H
#define OPD_TABLES_CACHE_H

#include <stdbool.h>

struct opd_config;

/*
 * Open the directory of tables in the user's cache @cache. @by_reports: reports read the tables;
 * they find the directory by a symbolic link in @samples_fd. Return a descriptor, or a negative
 * errno in three cases: the user has no cache; other users may write to it; or a group may read the
 * reports of the sessions but not the user's cache.
 */
int opd_tables_cache_open(const char *cache, const struct opd_config *cfg, int samples_fd,
			  bool by_reports);

#endif
