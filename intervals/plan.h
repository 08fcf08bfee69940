/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h -- the decision which intervals of a store to merge and to delete, so that an older past
 * is coarser and all files fit into a limit.
 *
 * | step | length of an interval | begins at the age of |
 * |---|---|---|
 * | 0 | --interval, or less | 0 |
 * | 1 | an hour | a day |
 * | 2 | a day | a week |
 * | 3 | a month | 90 days |
 *
 * Intervals that were closed early, because their sessions had grown, are merged into one interval
 * of step 0 when their slot is over: the time from a multiple of --interval to the next, of the
 * local clock. An interval belongs to the slot in which it begins.
 *
 * Hours, days and months are those of the local time zone. A step that is not longer than the
 * intervals as closed is not used: the step before it lasts longer. The functions read no clock and
 * no file.
 */
#ifndef ITV_PLAN_H
#define ITV_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/store.h"
#include "libop/base/reason.h"

/* Age in seconds below which intervals are deleted only if nothing else makes room. */
#define ITV_LAST_DAY	(24 * 3600)

/* The bytes that everything but the intervals needs at least. */
#define ITV_LEAST_OTHERS	(8u << 20)

struct itv_plan_config {
	int64_t interval;	/* seconds of an interval as closed, at least 1 */
	int64_t keep;		/* age in seconds at which an interval is deleted */
	uint64_t max_bytes;	/* limit of the total size of all interval files, in bytes */
	/* the intervals of the last day cannot become smaller: the oldest may be deleted */
	bool last_day_is_stuck;
	/* .interval is valid since this time, in seconds since 1970. Slots that begin earlier stay
	 * as they are, because their intervals may be whole intervals of a shorter length. */
	int64_t since;
};

struct op_settings;

/*
 * Compute the configuration of the settings interval, keep and max_disk; .max_bytes becomes the
 * limit of the whole session directory. Without intervals, .interval becomes 0. Return 0, or
 * -EINVAL with the cause and a way out in @error.
 */
int itv_plan_settings(struct itv_plan_config *ret, const struct op_settings *set,
		      struct op_reason *error);

struct itv_step {
	int64_t from, to;	/* ages in seconds; equal: the step is not used */
	uint64_t nr;		/* intervals of the step when the past is complete; at least 1 */
	/* limit of the size of one interval; larger intervals are reduced */
	uint64_t max_bytes;
};

/* Compute the steps and the limits of their intervals. */
void itv_plan_steps(struct itv_step steps[ITV_NR_STEPS], const struct itv_plan_config *config);

/* Return the lowest .max_bytes with which an interval of each step has @each bytes. Declared for
 * tests. */
uint64_t itv_plan_least_bytes(const struct itv_plan_config *config, uint64_t each);

/* Set *@begin and *@end to the hour, day or month of @step (1, 2, 3) that contains @time.
 * Declared for tests. */
void itv_plan_bucket(unsigned int step, int64_t time, int64_t *begin, int64_t *end);

/* Set *@begin and *@end to the slot of @interval seconds that contains @time: the time in which an
 * interval of step 0 begins, and at whose end it is closed. */
void itv_plan_slot(int64_t interval, int64_t time, int64_t *begin, int64_t *end);

enum itv_plan_kind {
	ITV_PLAN_NOTHING,
	ITV_PLAN_MERGE,		/* merge the intervals in .parts to the interval .result */
	/* the same, so that the intervals of the last day fit; the result must be smaller */
	ITV_PLAN_SHRINK,
	ITV_PLAN_DELETE,	/* delete .parts */
};

struct itv_plan {
	enum itv_plan_kind kind;
	/* the intervals of the plan, which point into the list that the caller passed */
	const struct itv_entry **parts;
	size_t nr_parts;
	/* times and step of the new interval; its name is made by itv_store_new_name() */
	struct itv_entry result;
	uint64_t max_bytes;	/* limit of the size of the new interval */
};

/*
 * Decide the next merge or deletion at the time @now (UTC, seconds since 1970). Ignore sessions,
 * and intervals that end in the future. Deletion for .keep comes first, then deletion for
 * .max_bytes, then merges, those of step 0 first. Parts of an interval of step 0 follow each other
 * without a gap, and no session of their slot waits to be packed. If the intervals of the last day
 * alone exceed .max_bytes, they are not deleted but merged early, and then reduced, the largest
 * first. Return 0 or -ENOMEM.
 */
int itv_plan_next(struct itv_plan *ret, const struct itv_plan_config *config,
		  const struct itv_list *list, int64_t now);
void itv_plan_release(struct itv_plan *plan);

#endif
