/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h -- optop without a terminal: prints one snapshot after another.
 */
#ifndef PP_TOP_BATCH_H
#define PP_TOP_BATCH_H

#include "pp/top/options.h"

/* Print snapshots to stdout until command->nr snapshots are printed, or until the reader closes
 * stdout. Return 0, or a negative errno with the reason in the log. The end of the daemon is an
 * error, too. */
int pp_top_batch(struct pp_top *top, const struct pp_top_command *command, struct pp_log *log);

#endif
