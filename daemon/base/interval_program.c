// SPDX-License-Identifier: GPL-2.0-or-later
/* interval_program.c -- looks up the path of the program opintervals, which packs and merges
 * intervals. */
#include "config.h"
#include "daemon/base/interval_program.h"

#include <stdlib.h>
#include <unistd.h>

#include "libop/base/beside.h"

char *opd_intervals_program(void)
{
	static const char *const trees[] = { "../intervals", NULL };
	const struct op_beside place = { OPD_SBIN_DIR, OPD_LIBEXEC_DIR, trees };
	char *path = op_beside_find(&place, "opintervals");

	if (path && access(path, X_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}
