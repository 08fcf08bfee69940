/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operf_stats.h -- the statistics that OProfile 1.4's operf stored with a session.
 */
#ifndef PP_SESSION_OPERF_STATS_H
#define PP_SESSION_OPERF_STATS_H

#include "libop/session/stats.h"

/* Add the statistics to @stats. @samples_dirfd: as for op_session_stats_read(). Return 0, -ENOENT
 * if there are no statistics, or another negative errno; then some may have been added. */
int pp_operf_stats_read(struct op_session_stats *stats, int samples_dirfd);

#endif
