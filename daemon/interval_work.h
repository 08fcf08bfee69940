/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval_work.h -- maintenance of closed intervals: a child process (opintervals) packs
 * sessions, merges intervals and stores symbol tables; the daemon deletes old intervals and
 * intervals that were merged into others.
 *
 * A session or interval that cannot be processed waits for another attempt (base/retries.h); the
 * others are processed in the meantime.
 */
#ifndef OPD_INTERVAL_WORK_H
#define OPD_INTERVAL_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct opd_intervals;

/* Return the number of bytes of --max-disk that closed intervals must not use, because the current
 * session may grow and the maintenance of intervals needs space. */
uint64_t opd_interval_work_reserve(const struct opd_intervals *i);

/* Delete incomplete files of child processes that were killed. */
void opd_interval_work_clean(struct opd_intervals *i);

/* Delete the oldest intervals, but only intervals older than a day, until at least @bytes are free.
 * @arg: a struct opd_intervals. */
void opd_interval_work_make_room(void *arg, uint64_t bytes);

/* Return the time (op_now_ms()) at which opd_interval_work_turn() must be called, or UINT64_MAX. */
uint64_t opd_interval_work_due(const struct opd_intervals *i);
/* If the child process has ended, handle its exit status. If no child process runs, do the next
 * step of the maintenance of intervals, or start a child process for it. */
void opd_interval_work_turn(struct opd_intervals *i);
/* Kill the child process. A later daemon repeats its work. */
void opd_interval_work_end(struct opd_intervals *i);

#endif
