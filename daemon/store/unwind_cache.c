// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind_cache.c -- opens the cache of unwind tables. */
#include "config.h"
#include "daemon/store/unwind_cache.h"

#include <errno.h>
#include <unistd.h>

#include "libcfi/file.h"
#include "libop/base/cache_dir.h"
#include "libop/session/identity.h"
#include "libop/session/table_request.h"

const struct opd_tables_kind opd_unwind_tables_kind = {
	.what = "unwind tables", .suffix = OP_UNWIND_SUFFIX, .version = CFI_FILE_VERSION,
	.request = OP_TABLE_UNWIND, .debug_request = OP_TABLE_UNWIND_WITH_DEBUG, .at_once = true, .workers = OPD_TABLE_WORKERS, .copied = true,
};

int opd_unwind_cache_create(struct opd_tables **ret, struct opd_tables_setup setup, const char *cache)
{
	int err;

	setup.parent_fd = cache ? op_cache_dir_open(cache) : -ENOENT;
	if (setup.parent_fd < 0)
		return setup.parent_fd;
	setup.kind = &opd_unwind_tables_kind;
	setup.dir = OP_UNWIND_DIR;
	setup.max_bytes = OPD_UNWIND_BYTES;
	err = opd_tables_create(ret, &setup);
	close(setup.parent_fd);
	return err;
}
