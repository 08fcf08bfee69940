// SPDX-License-Identifier: GPL-2.0-or-later
/* intervals.c -- prints the lines of opcontrol --status about intervals. */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "intervals/plan.h"
#include "intervals/store.h"
#include "libop/base/time_words.h"
#include "utils/shared/session_files.h"

static const char *const names[ITV_NR_STEPS] = { "intervals", "hours", "days", "months" };

static int open_store(const struct op_settings *cfg)
{
	struct op_reason unheard = { "" };
	int samples = ctl_session_open_samples(cfg->session_dir, OP_SESSION_READ, &unheard), fd;

	if (samples < 0)
		return -1;
	fd = openat(samples, ITV_STORE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(samples);
	return fd;
}

/* Round @seconds down to whole days, hours or minutes. Use the largest unit that leaves at least
 * two digits. */
static int64_t in_large_units(int64_t seconds)
{
	int64_t unit = seconds >= 10 * 86400 ? 86400 : seconds >= 10 * 3600 ? 3600 : 60;

	return seconds - seconds % unit;
}

/* Summary of the intervals of one step of merging. All intervals of a step have the same planned
 * length: the value of --interval, an hour, a day or a month. */
struct kept {
	uint64_t nr, bytes;
	/* .begin: start of the oldest interval; .seconds: total length of all intervals */
	int64_t begin, seconds;
};

static struct kept sum_step(const struct itv_list *list, unsigned int step)
{
	struct kept kept = { .begin = INT64_MAX };

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->step != step)
			continue;
		kept.begin = entry->begin < kept.begin ? entry->begin : kept.begin;
		kept.bytes += entry->bytes;
		kept.seconds += entry->end - entry->begin;
		kept.nr++;
	}
	return kept;
}

/* Return how many bytes an interval of @seconds may have: @plan limits an interval of @interval
 * seconds, and the limit of a shorter interval is proportional to its length. */
static uint64_t share_of(const struct itv_step *plan, int64_t seconds, int64_t interval)
{
	return seconds >= interval ? plan->max_bytes :
		(uint64_t)((double)plan->max_bytes * (double)seconds / (double)interval);
}

/* Return how many bytes future merges will remove from the intervals of step 0, which are not
 * merged yet. A merge reduces the intervals of a slot (a period of the merged length) to the
 * maximum size. Count only the slot of the newest interval and the slot before it: earlier slots
 * are already merged, or will not be merged any more. */
static uint64_t bytes_freed_by_merges(const struct itv_list *list, const struct itv_step *plan,
				      int64_t interval)
{
	int64_t begin, end, slot = INT64_MIN, newest = INT64_MIN, seconds = 0;
	uint64_t bytes = 0, of_slot = 0, lost = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (!list->entries[i].step && list->entries[i].end > newest)
			newest = list->entries[i].end;
	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (entry->step || entry->end <= newest - 2 * interval)
			continue;
		itv_plan_slot(interval, entry->begin, &begin, &end);
		/* an interval that covers the whole slot is not merged, so its size does not
		 * change */
		if (end <= newest - interval || (entry->begin == begin && entry->end >= end))
			continue;
		if (begin != slot) {
			bytes = of_slot = 0;
			seconds = 0;
		}
		slot = begin;
		bytes += entry->bytes;
		seconds += entry->end - entry->begin;
		lost -= of_slot;
		of_slot = share_of(plan, seconds, interval);
		of_slot = bytes > of_slot ? bytes - of_slot : 0;
		lost += of_slot;
	}
	return lost;
}

/* Estimate for how many seconds into the past a step will have intervals, if future intervals have
 * the same size as the present ones. If intervals exceed their maximum size, the step reaches less
 * far than planned. @interval: value of --interval in seconds. */
static int64_t reach_of(const struct itv_list *list, unsigned int step,
			const struct itv_step *plan, int64_t interval)
{
	const struct kept kept = sum_step(list, step);
	uint64_t bytes = kept.bytes - (step ? 0 : bytes_freed_by_merges(list, plan, interval));
	int64_t to = plan->to;

	if (bytes && kept.seconds > 0 && plan->max_bytes)
		to = plan->from + (int64_t)((double)(plan->max_bytes * plan->nr) /
					    (double)bytes * (double)kept.seconds);
	return to < plan->to ? in_large_units(to) : plan->to;
}

/* Print a line about one step: the number of its intervals, the start of the oldest interval, their
 * size, and how far back the step will reach. */
static void print_step(FILE *out, const struct itv_list *list, unsigned int step,
		       const struct itv_step *plan, int64_t interval)
{
	char since[OP_TIME_TEXT_SIZE], reach[OP_DURATION_TEXT_SIZE], from[OP_DURATION_TEXT_SIZE];
	const struct kept kept = sum_step(list, step);

	if (plan->to <= plan->from && !kept.nr)
		return;
	if (plan->to > plan->from)
		op_duration_text(reach, reach_of(list, step, plan, interval));
	if (kept.nr)
		fprintf(out, "  %s: %" PRIu64 " since %s, %.1f MB", names[step], kept.nr,
			op_time_text(since, kept.begin), (double)kept.bytes / 1e6);
	else if (step)
		fprintf(out, "  %s: not merged yet, because intervals are merged at the age of %s", names[step],
			op_duration_text(from, plan->from));
	else
		fprintf(out, "  %s: none yet", names[step]);
	if (plan->to > plan->from)
		fprintf(out, "; %s reach back %s", kept.nr ? "will" : "planned to", reach);
	fputc('\n', out);
}

/* Set *@config to the interval settings of the running daemon, which are "SECONDS SECONDS BYTES" in
 * its reply. If no daemon runs, use the stored settings @cfg. If intervals are off, set .interval
 * to 0. */
static void find_config(struct itv_plan_config *config, const struct op_settings *cfg,
			const char *running)
{
	*config = (struct itv_plan_config){ .interval = 0 };
	if (running) {
		if (sscanf(running, "%" SCNd64 " %" SCNd64 " %" SCNu64, &config->interval,
			   &config->keep, &config->max_bytes) == 3 && config->interval > 0 &&
		    config->keep >= config->interval && config->max_bytes)
			return;
	} else if (!itv_plan_settings(config, cfg, NULL)) {
		return;
	}
	config->interval = 0;
}

void ctl_intervals_print(FILE *out, const struct op_settings *cfg, const char *running)
{
	char interval[OP_DURATION_TEXT_SIZE], keep[OP_DURATION_TEXT_SIZE];
	struct itv_step steps[ITV_NR_STEPS];
	struct itv_plan_config config;
	struct itv_list list;
	int fd = open_store(cfg);

	if (fd < 0)
		return;
	if (!itv_store_list(&list, fd)) {
		find_config(&config, cfg, running);
		if (config.interval) {
			fprintf(out, "Intervals: of %s, kept for %s, %" PRIu64 " MB on disk at most\n",
				op_duration_text(interval, config.interval),
				op_duration_text(keep, config.keep), config.max_bytes >> 20);
			itv_plan_steps(steps, &config);
		} else {
			fputs("Intervals: off for new samples; earlier intervals are kept\n", out);
		}
		for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
			static const struct itv_step none = { .nr = 1 };

			print_step(out, &list, s, config.interval ? &steps[s] : &none,
				   config.interval);
		}
		itv_list_release(&list);
	}
	close(fd);
}

void ctl_intervals_note(FILE *out, const struct op_settings *cfg,
			const struct itv_plan_config *config)
{
	char reach[OP_DURATION_TEXT_SIZE], planned[OP_DURATION_TEXT_SIZE];
	struct itv_step steps[ITV_NR_STEPS];
	struct itv_list list;
	int fd = open_store(cfg);

	if (fd < 0)
		return;
	if (!itv_store_list(&list, fd)) {
		itv_plan_steps(steps, config);
		for (unsigned int s = 0; s < ITV_NR_STEPS; s++) {
			int64_t to = reach_of(&list, s, &steps[s], config->interval);

			if (steps[s].to > steps[s].from && to < steps[s].to)
				fprintf(out, "Note: if later %s are as large as the present ones, "
					     "--max-disk=%"
					     PRIu64 "M deletes them after %s, not after "
						    "%s.\n", names[s],
					config->max_bytes >> 20, op_duration_text(reach, to),
					op_duration_text(planned, steps[s].to));
		}
		itv_list_release(&list);
	}
	close(fd);
}
