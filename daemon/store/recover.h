/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- counters that agree with the sample files, after one of these was damaged.
 */
#ifndef OPD_RECOVER_H
#define OPD_RECOVER_H

#include <stdint.h>

#include "libop/session/stats.h"

struct opd_stats;

/* Make the counters of a running daemon agree with @sum, the samples in its files, after it has found a damaged file; fewer
 * are a loss, which counter @loss says. 0 or -ENOMEM. */
int opd_recover_running(struct opd_stats *stats, uint64_t sum, const char *loss);

#endif
