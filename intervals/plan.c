// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c -- decides which intervals to merge and which to delete. */
#include "config.h"
#include "intervals/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/grow.h"
#include "libop/base/size.h"
#include "libop/base/time_words.h"
#include "libop/settings.h"

/* smallest possible size of an interval file, in bytes */
#define LEAST_BYTES	4096
#define HOUR	3600
#define DAY	(24 * HOUR)
#define MONTH	(30 * DAY)

/* For each step: the length of its intervals in seconds (step 0: --interval), the age at which the
 * step ends, and its share of the disk limit in percent. The shares add up to 90 %; the rest is
 * reserved for merges. */
static const struct {
	int64_t length, to;
	unsigned int share;
} steps_of_time[ITV_NR_STEPS] = {
	{ 0, DAY, 32 },
	{ HOUR, 7 * DAY, 27 },
	{ DAY, 90 * DAY, 22 },
	{ MONTH, INT64_MAX, 9 },
};

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void itv_plan_steps(struct itv_step steps[ITV_NR_STEPS], const struct itv_plan_config *config)
{
	unsigned int all = 0, used = 0, last = 0;

	for (unsigned int s = 0; s < ITV_NR_STEPS; s++)
		all += steps_of_time[s].share;
	for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
		int64_t length = s ? steps_of_time[s].length : config->interval;
		int64_t from = s ? steps[last].to : 0, to = min(steps_of_time[s].to, config->keep);

		steps[s] = (struct itv_step){ .from = from, .to = from, .nr = 1 };
		if (s && length <= config->interval) {
			/* If a step is skipped, because its intervals would be no longer than
			 * --interval, the step before it lasts longer. */
			if (to > steps[last].to)
				steps[last].to = to;
			continue;
		}
		if (to <= from && s)
			continue;
		steps[s].to = to;
		last = s;
	}
	for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
		int64_t length = s ? steps_of_time[s].length : config->interval;

		if (steps[s].to <= steps[s].from)
			continue;
		used += steps_of_time[s].share;
		steps[s].nr = (uint64_t)((steps[s].to - steps[s].from + length - 1) / length);
	}
	/* The shares of the skipped steps are divided among the steps in use. */
	for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
		if (steps[s].to <= steps[s].from)
			continue;
		steps[s].max_bytes = config->max_bytes / 100 * all * steps_of_time[s].share / used /
				     steps[s].nr;
		if (steps[s].max_bytes < LEAST_BYTES)
			steps[s].max_bytes = LEAST_BYTES;
	}
}

uint64_t itv_plan_least_bytes(const struct itv_plan_config *config, uint64_t each)
{
	struct itv_plan_config scaled = *config;
	struct itv_step steps[ITV_NR_STEPS];
	uint64_t least = 0;

	scaled.max_bytes = 1ull << 40;
	itv_plan_steps(steps, &scaled);
	for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
		double bytes;

		if (steps[s].to <= steps[s].from)
			continue;
		bytes = (double)scaled.max_bytes / (double)steps[s].max_bytes * (double)each;
		if (bytes > (double)least)
			least = (uint64_t)bytes + 1;
	}
	return least;
}

int itv_plan_settings(struct itv_plan_config *ret, const struct op_settings *set,
		      struct op_reason *error)
{
	char keep[OP_DURATION_TEXT_SIZE], interval[OP_DURATION_TEXT_SIZE];
	struct itv_plan_config config = { .interval = 0 };
	uint64_t least;

	if ((set->interval && op_duration_parse(&config.interval, set->interval)) ||
	    op_duration_parse(&config.keep, set->keep ? set->keep : OP_DEFAULT_KEEP) ||
	    op_size_parse(&config.max_bytes, set->max_disk ? set->max_disk : OP_DEFAULT_MAX_DISK))
		return op_fail(error, -EINVAL, "the value of --interval, --keep or --max-disk "
					       "cannot be parsed");
	*ret = config;
	if (!config.interval)
		return 0;
	op_duration_text(keep, config.keep);
	op_duration_text(interval, config.interval);
	if (config.keep < config.interval)
		return op_fail(error, -EINVAL, "--keep=%s is shorter than an interval of %s", keep,
			       interval);
	least = itv_plan_least_bytes(&config, LEAST_BYTES) * 2 + ITV_LEAST_OTHERS;
	if (config.max_bytes < least)
		return op_fail(error, -EINVAL,
			       "--max-disk=%" PRIu64 "M is too small for intervals of %s that are "
			       "kept for %s: use %" PRIu64 "M or more, a longer --interval or a "
			       "shorter --keep", config.max_bytes >> 20, interval, keep,
			       (least >> 20) + 1);
	return 0;
}

/* Return mktime() of the local date and hour in @tm; the members of @tm may be out of range. */
static int64_t local_time(struct tm tm)
{
	tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

void itv_plan_bucket(unsigned int step, int64_t time, int64_t *begin, int64_t *end)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (!localtime_r(&t, &tm)) {
		*begin = time;
		*end = time + 1;
		return;
	}
	if (step == 1) {
		/* When daylight saving time ends, the same hour occurs twice on the local clock;
		 * count these as two hours. */
		*begin = time - tm.tm_min * 60 - tm.tm_sec;
		*end = *begin + HOUR;
		return;
	}
	tm.tm_hour = 0;
	if (step == 3)
		tm.tm_mday = 1;
	*begin = local_time(tm);
	if (step == 3)
		tm.tm_mon++;
	else
		tm.tm_mday++;
	*end = local_time(tm);
}

void itv_plan_slot(int64_t interval, int64_t time, int64_t *begin, int64_t *end)
{
	time_t t = (time_t)time;
	struct tm tm = { 0 };
	int64_t after;

	localtime_r(&t, &tm);
	after = (time + tm.tm_gmtoff) % interval;
	*begin = time - (after < 0 ? after + interval : after);
	*end = *begin + interval;
}

static int add_part(struct itv_plan *plan, const struct itv_entry *entry)
{
	int err = op_grow(&plan->parts, plan->nr_parts);

	if (!err)
		plan->parts[plan->nr_parts++] = entry;
	return err;
}

/* Plan to delete each interval that is older than @config->keep. */
static int plan_expired(struct itv_plan *plan, const struct itv_plan_config *config,
			const struct itv_list *list, int64_t now)
{
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++)
		if (!list->entries[i].is_session && list->entries[i].end <= now - config->keep &&
		    list->entries[i].end <= now - DAY)
			err = add_part(plan, &list->entries[i]);
	return err;
}

static uint64_t bytes_of(const struct itv_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->nr; i++)
		bytes += list->entries[i].bytes;
	return bytes;
}

/* Plan to delete the oldest intervals until the others fit into the size limit. */
static int plan_too_large(struct itv_plan *plan, const struct itv_plan_config *config,
			  const struct itv_list *list, int64_t now)
{
	uint64_t bytes = bytes_of(list);
	int err = 0;

	for (size_t i = 0; i < list->nr && !err && bytes > config->max_bytes; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->is_session || entry->end > now - DAY)
			continue;
		err = add_part(plan, entry);
		bytes -= entry->bytes;
	}
	return err;
}

/* Find the oldest interval that must be merged into an interval of step @next (an hour, a day or a
 * month): the hour, day or month in which it begins ended at least @to seconds ago. Add to the plan
 * all intervals that begin in this hour, day or month, if they are of lower steps or of step @next,
 * and were recorded on the same kernel. */
static int plan_merge(struct itv_plan *plan, int64_t to, unsigned int next,
		      const struct itv_list *list, int64_t now)
{
	int64_t begin = 0, end = 0;
	uint32_t kernel = 0;
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->is_session || entry->is_bad || entry->step > next ||
		    (end && entry->kernel != kernel))
			continue;
		if (!end && entry->step < next) {
			itv_plan_bucket(next, entry->begin, &begin, &end);
			if (end > now - to) {
				end = 0;
				continue;
			}
			kernel = entry->kernel;
			/* An interval of step @next may precede entry @i in the list: add it,
			 * too. */
			for (size_t j = 0; j < i && !err; j++)
				if (!list->entries[j].is_session && !list->entries[j].is_bad &&
				    list->entries[j].step == next &&
				    list->entries[j].kernel == kernel &&
				    list->entries[j].begin >= begin)
					err = add_part(plan, &list->entries[j]);
		}
		if (end && entry->begin >= begin && entry->begin < end && !err)
			err = add_part(plan, entry);
	}
	return err;
}

/* Set the times of the interval that results from merging the parts of the plan. */
static void set_result(struct itv_plan *plan, enum itv_plan_kind kind, unsigned int step,
		       uint64_t max_bytes)
{
	plan->kind = kind;
	plan->max_bytes = max_bytes;
	plan->result = (struct itv_entry){
		.step = step,
		.kernel = plan->parts[0]->kernel,
		.begin = plan->parts[0]->begin,
		.end = plan->parts[0]->end,
	};
	for (size_t i = 1; i < plan->nr_parts; i++) {
		plan->result.begin = min(plan->result.begin, plan->parts[i]->begin);
		if (plan->parts[i]->end > plan->result.end)
			plan->result.end = plan->parts[i]->end;
	}
}

/* Return whether the store has an unpacked session that begins in [@begin, @end). */
static bool has_session(const struct itv_list *list, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->entries[i].is_session && list->entries[i].begin >= begin &&
		    list->entries[i].begin < end)
			return true;
	return false;
}

/* Add to the plan the intervals of step 0 that begin in the same slot as entry @first and continue
 * this entry on the same kernel. Each part must begin where the part before it ends: after a gap or
 * a change of the clock, a separate interval begins. */
static int add_slot(struct itv_plan *plan, const struct itv_list *list, size_t first,
		    int64_t interval)
{
	const struct itv_entry *last = &list->entries[first];
	int64_t begin, end, slot_begin, slot_end;
	int err = add_part(plan, last);

	itv_plan_slot(interval, last->begin, &slot_begin, &slot_end);
	for (size_t i = first + 1; i < list->nr && list->entries[i].begin < slot_end && !err; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->is_session || entry->is_bad || entry->step ||
		    entry->kernel != last->kernel || entry->begin != last->end)
			continue;
		/* The slot of a later entry may be another one, because slots may overlap after a
		 * change of the local clock. */
		itv_plan_slot(interval, entry->begin, &begin, &end);
		if (begin != slot_begin)
			continue;
		err = add_part(plan, entry);
		last = entry;
	}
	return err;
}

/* Plan to merge the intervals of a slot that has ended. A slot has ended if the list contains an
 * interval or a session that ends at the end of the slot or later. */
static int plan_slots(struct itv_plan *plan, const struct itv_plan_config *config,
		      const struct itv_list *list, int64_t now)
{
	struct itv_step steps[ITV_NR_STEPS];
	int64_t begin, end, closed = INT64_MIN;
	int err = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (list->entries[i].end > closed)
			closed = list->entries[i].end;
	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->is_session || entry->is_bad || entry->step)
			continue;
		itv_plan_slot(config->interval, entry->begin, &begin, &end);
		if (begin < config->since || end > now || end > closed)
			continue;
		err = add_slot(plan, list, i, config->interval);
		if (!err && plan->nr_parts > 1 && !has_session(list, begin, end))
			break;
		plan->nr_parts = 0;
	}
	if (err || !plan->nr_parts)
		return err;
	itv_plan_steps(steps, config);
	set_result(plan, ITV_PLAN_MERGE, 0, steps[0].max_bytes);
	return 0;
}

/* Plan to merge intervals. @early: merge them to save disk space, although they are not old enough
 * yet. */
static int plan_merges(struct itv_plan *plan, const struct itv_plan_config *config,
		       const struct itv_list *list, int64_t now, bool early)
{
	struct itv_step steps[ITV_NR_STEPS];
	unsigned int s = 0;
	int err = 0;

	itv_plan_steps(steps, config);
	for (unsigned int next = 1; next < ITV_NR_STEPS && !err && !plan->nr_parts; next++) {
		if (steps[next].to <= steps[next].from)
			continue;
		err = plan_merge(plan, early ? 0 : steps[s].to, next, list, now);
		/* Do not merge a single interval: the result would differ only in its name. */
		if (early && plan->nr_parts == 1)
			plan->nr_parts = 0;
		if (plan->nr_parts)
			set_result(plan, early ? ITV_PLAN_SHRINK : ITV_PLAN_MERGE, next,
				   steps[next].max_bytes);
		s = next;
	}
	return err;
}

/* Plan to reduce the largest interval of the last day. */
static int plan_reduction(struct itv_plan *plan, const struct itv_list *list, int64_t now)
{
	const struct itv_entry *largest = NULL;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (!entry->is_session && !entry->is_bad && entry->end <= now &&
		    entry->bytes > 2 * LEAST_BYTES &&
		    (!largest || entry->bytes > largest->bytes))
			largest = entry;
	}
	if (!largest)
		return 0;
	plan->kind = ITV_PLAN_SHRINK;
	plan->result = *largest;
	plan->max_bytes = UINT64_MAX;
	return add_part(plan, largest);
}

/* The intervals of the last day alone exceed the size limit: first plan to merge them early, then
 * to reduce them. Plan to delete the oldest one only if neither is possible. */
static int plan_last_day(struct itv_plan *plan, const struct itv_plan_config *config,
			 const struct itv_list *list, int64_t now)
{
	uint64_t bytes = 0;
	int err = 0;

	if (bytes_of(list) <= config->max_bytes)
		return 0;
	if (!config->last_day_is_stuck)
		err = plan_merges(plan, config, list, now, true);
	if (!err && !plan->nr_parts && !config->last_day_is_stuck)
		err = plan_reduction(plan, list, now);
	for (size_t i = 0; i < plan->nr_parts; i++)
		bytes += plan->parts[i]->bytes;
	if (plan->max_bytes > bytes / 2)
		plan->max_bytes = bytes / 2;
	for (size_t i = 0; i < list->nr && !err && !plan->nr_parts; i++)
		if (!list->entries[i].is_session) {
			plan->kind = ITV_PLAN_DELETE;
			err = add_part(plan, &list->entries[i]);
		}
	return err;
}

int itv_plan_next(struct itv_plan *ret, const struct itv_plan_config *config,
		  const struct itv_list *list, int64_t now)
{
	struct itv_plan plan = { .kind = ITV_PLAN_NOTHING };
	int err = plan_expired(&plan, config, list, now);

	if (!err && !plan.nr_parts)
		err = plan_too_large(&plan, config, list, now);
	if (!err && plan.nr_parts)
		plan.kind = ITV_PLAN_DELETE;
	else if (!err)
		err = plan_slots(&plan, config, list, now);
	if (!err && !plan.nr_parts)
		err = plan_last_day(&plan, config, list, now);
	if (!err && !plan.nr_parts)
		err = plan_merges(&plan, config, list, now, false);
	if (err)
		itv_plan_release(&plan);
	else
		*ret = plan;
	return err;
}

void itv_plan_release(struct itv_plan *plan)
{
	free(plan->parts);
	*plan = (struct itv_plan){ .kind = ITV_PLAN_NOTHING };
}
