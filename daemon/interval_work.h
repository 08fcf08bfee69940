/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval_work.h -- the work on closed intervals: a process of its own (opintervals) packs
 * sessions, merges intervals and keeps symbol tables; the daemon deletes replaced and old
 * intervals.
 *
 * A session or an interval whose processing fails waits for its next try (base/retries.h). The work
 * on all others goes on.
 */
#ifndef OPD_INTERVAL_WORK_H
#define OPD_INTERVAL_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct opd_intervals;

/* Return the part of --max-disk that stays free of closed intervals: for the growth of the current
 * session, and for the work on intervals. */
uint64_t opd_interval_work_reserve(const struct opd_intervals *i);

/* Delete the files that killed packing processes have left. */
void opd_interval_work_clean(struct opd_intervals *i);

/* Delete the oldest intervals that are older than a day, at least @bytes if possible. @arg: a
 * struct opd_intervals. */
void opd_interval_work_make_room(void *arg, uint64_t bytes);

/* Return the time (of op_now_ms()) of the next turn, or UINT64_MAX. */
uint64_t opd_interval_work_due(const struct opd_intervals *i);
/* Note the end of the process, and do the next work or start a process that does it. */
void opd_interval_work_turn(struct opd_intervals *i);
/* End the process at once. A later daemon starts its work again. */
void opd_interval_work_end(struct opd_intervals *i);

#endif
