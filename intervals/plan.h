/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h -- decides which intervals of a store to merge and to delete, so that older intervals are
 * longer and all files fit into a limit.
 *
 * | step | length of an interval | begins at the age of |
 * |---|---|---|
 * | 0 | --interval, or less | 0 |
 * | 1 | an hour | a day |
 * | 2 | a day | a week |
 * | 3 | a month | 90 days |
 *
 * The local clock is divided into slots of --interval length. If an interval was closed before the
 * end of its slot, because its session had grown too large, all intervals that begin in this slot
 * are merged into one interval of step 0 after the slot has ended.
 * Hours, days and months are local time. A step is skipped if its intervals would not be longer
 * than --interval; then the step before it lasts longer. The functions read no clock and no file.
 */
#ifndef ITV_PLAN_H
#define ITV_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/store.h"
#include "libop/base/reason.h"

/* Intervals that are younger than this many seconds are deleted only if nothing else frees enough
 * disk space. */
#define ITV_LAST_DAY	(24 * 3600)

/* Disk space, in bytes, that is reserved for all files other than intervals. */
#define ITV_LEAST_OTHERS	(8u << 20)

struct itv_plan_config {
	/* length of an interval when it is closed, in seconds, at least 1 */
	int64_t interval;
	int64_t keep;		/* age in seconds at which an interval is deleted */
	uint64_t max_bytes;	/* limit of the total size of all interval files, in bytes */
	/* the intervals of the last day cannot be reduced any further, so the oldest one may be
	 * deleted */
	bool last_day_is_stuck;
	/* .interval has had this value since this time, in seconds since 1970. Slots that begin
	 * earlier are not merged, because .interval may have been shorter then. */
	int64_t since;
};

struct op_settings;

/*
 * Compute the configuration of the plan from the settings interval, keep and max_disk. Set
 * .max_bytes to the limit of the whole session directory. Set .interval to 0 if intervals are off.
 * Return 0, or -EINVAL with the cause and the remedy in @error.
 */
int itv_plan_settings(struct itv_plan_config *ret, const struct op_settings *set,
		      struct op_reason *error);

struct itv_step {
	/* range of ages of the step's intervals in seconds; if .from equals .to, the step is
	 * skipped */
	int64_t from, to;
	/* number of intervals that the step has when it is full; at least 1 */
	uint64_t nr;
	/* limit of the size of one interval; larger intervals are reduced to this size */
	uint64_t max_bytes;
};

/* Compute the age ranges of the steps and the size limits of their intervals. */
void itv_plan_steps(struct itv_step steps[ITV_NR_STEPS], const struct itv_plan_config *config);

/* Return the lowest config->max_bytes that allows at least @each bytes for an interval of each
 * step. Declared for tests. */
uint64_t itv_plan_least_bytes(const struct itv_plan_config *config, uint64_t each);

/* Set *@begin and *@end to the hour, day or month of @step (1, 2, 3) that contains @time.
 * Declared for tests. */
void itv_plan_bucket(unsigned int step, int64_t time, int64_t *begin, int64_t *end);

/* Set *@begin and *@end to the slot of the local clock that contains @time. Slots are @interval
 * seconds long, and the daemon closes an interval at the end of each slot. */
void itv_plan_slot(int64_t interval, int64_t time, int64_t *begin, int64_t *end);

enum itv_plan_kind {
	ITV_PLAN_NOTHING,
	ITV_PLAN_MERGE,		/* merge the intervals in .parts into .result */
	/* like ITV_PLAN_MERGE, but the purpose is to fit the intervals of the last day into the
	 * limit, so the result must be smaller than its parts */
	ITV_PLAN_SHRINK,
	ITV_PLAN_DELETE,	/* delete the intervals in .parts */
};

struct itv_plan {
	enum itv_plan_kind kind;
	/* intervals to merge or delete; the elements point into the caller's list */
	const struct itv_entry **parts;
	size_t nr_parts;
	/* times and step of the interval to create; itv_store_new_name() chooses its name */
	struct itv_entry result;
	uint64_t max_bytes;	/* limit of the size of the interval to create */
};

/*
 * Decide the next merge or deletion at the time @now (UTC, seconds since 1970). Ignore sessions,
 * and intervals that end in the future. The order is: delete for .keep, delete for .max_bytes,
 * merge, beginning with step 0. Parts are merged into an interval of step 0 only if they are
 * contiguous and all sessions of their slot are packed. If the intervals of the last day alone
 * exceed .max_bytes, merge them early and then reduce the largest instead of deleting them. Return
 * 0 or -ENOMEM.
 */
int itv_plan_next(struct itv_plan *ret, const struct itv_plan_config *config,
		  const struct itv_list *list, int64_t now);
void itv_plan_release(struct itv_plan *plan);

#endif
