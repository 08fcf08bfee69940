/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h -- prints snapshots as plain text.
 */
#ifndef PP_TOP_PRINT_H
#define PP_TOP_PRINT_H

#include <stddef.h>
#include <stdio.h>

#include "pp/top/snapshot.h"
#include "pp/top/rows.h"

/*
 * Write the summary of a snapshot to @buf: one line without a newline, with the time, the number of
 * samples, busy CPUs and lost samples. Control characters in names are replaced. @columns: maximum
 * width of the line; its last parts are omitted if it is longer. 0: no limit.
 */
void pp_top_summary(char *buf, size_t size, const struct pp_top_snapshot *snapshot, size_t columns);

/* Print a snapshot: its summary, and at most @lines lines of the view (0: all). Return 0 or
 * -ENOMEM. */
int pp_top_print(FILE *out, const struct pp_top_snapshot *snapshot, const struct pp_top_view *view,
		 size_t lines);

#endif
