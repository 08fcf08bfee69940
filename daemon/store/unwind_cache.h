/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_cache.h -- unwind tables in the user's cache, which all sessions of the user share. */
#ifndef OPD_UNWIND_CACHE_H
#define OPD_UNWIND_CACHE_H

#include "daemon/store/tables.h"

extern const struct opd_tables_kind opd_unwind_tables_kind;

#define OPD_UNWIND_BYTES	(256ull << 20)	/* on disk, of all sessions of the user */

/*
 * Create *@ret in the directory @cache (op_cache_dir()); NULL: the user has no cache. @setup: all but the directory. Return 0,
 * or a negative errno if the cache does not exist or other users may write to it.
 */
int opd_unwind_cache_create(struct opd_tables **ret, struct opd_tables_setup setup, const char *cache);

#endif
