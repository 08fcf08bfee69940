/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- correction of counters after a sample file was found damaged.
 */
#ifndef OPD_RECOVER_H
#define OPD_RECOVER_H

#include <stdint.h>

#include "libop/session/stats.h"

struct opd_stats;

/*
 * Make the counters of a running daemon agree with @sum, the number of samples in the session's
 * files, after the daemon has found a damaged file. Missing samples are added to the counter @loss.
 * Return 0 or -ENOMEM.
 */
int opd_recover_running(struct opd_stats *stats, uint64_t sum, const char *loss);

#endif
