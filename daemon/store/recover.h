/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- the books after a daemon was killed: what is in the sample files counts.
 */
#ifndef OPD_RECOVER_H
#define OPD_RECOVER_H

#include <stdint.h>

#include "libop/session/stats.h"

struct opd_stats;

/*
 * Adds up the sample files of a samples directory. Files that cannot be read are left out, and
 * counted in *@unreadable. 0 or negative errno.
 */
int opd_recover_sum(int samples_dirfd, uint64_t *sum, uint64_t *unreadable);

/*
 * Makes @totals, read from stats/totals, agree with @sum: what the files have more was taken and
 * stored after the totals were last written ("recovered_samples"); what they have less is gone,
 * which is counted as @loss.
 */
int opd_recover_totals(struct op_session_stats *totals, uint64_t sum, const char *loss);

/*
 * What trees of call paths hold, @sum, becomes the totals' "paths", and what was stored and is in none, "paths_lost"; but
 * for what was stored without paths being taken. @told: what @totals told was stored before opd_recover_totals().
 */
int opd_recover_paths(struct op_session_stats *totals, uint64_t told, uint64_t sum);

/* The same for the books of a running daemon, after it has found a damaged file. */
int opd_recover_running(struct opd_stats *stats, uint64_t sum, const char *loss);

#endif
