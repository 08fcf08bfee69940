// SPDX-License-Identifier: GPL-2.0-or-later
/* why.c -- opcontrol --why: compares the present samples with the samples at the same time of day
 * on earlier days. */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "intervals/range.h"
#include "intervals/store.h"
#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/time_words.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/paths.h"
#include "utils/shared/session_files.h"
#include "utils/shared/spawn.h"

/* maximum number of earlier days with which to compare; intervals of even earlier days are merged
 * and too long */
#define NR_DAYS		7
/* length in seconds of the period that counts as the present; it is extended to whole intervals */
#define NOW		(10 * 60)
/* maximum length in seconds of an interval to compare; a longer interval does not represent a time
 * of day */
#define LONGEST		(2 * 3600)

/* The present period, and the periods of earlier days to compare with. */
struct why {
	struct op_period now;
	struct op_period days[NR_DAYS];
	size_t nr_days;
	/* number of earlier days that are not used, because their intervals are too long */
	size_t nr_coarse;
	/* kernel that ran during .now (intervals/store.h); 0: unknown */
	uint32_t kernel;
	/* kernel that ran on an earlier day and differs from .kernel; 0: no such kernel */
	uint32_t other_kernel;
};

/* Return the time @days days before @time, at the same local time of day as @time. */
static int64_t days_before(int64_t time, int days)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (!localtime_r(&t, &tm))
		return time - (int64_t)days * 86400;
	tm.tm_mday -= days;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
}

static bool overlaps(const struct itv_entry *entry, const struct op_period *period)
{
	return entry->begin < period->end && entry->end > period->begin;
}

/* Extend the period to the start and end of the intervals that overlap it, because reports read
 * only whole intervals. */
static void extend(struct op_period *period, const struct itv_list *list)
{
	const struct op_period asked = *period;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (!overlaps(entry, &asked) || entry->end - entry->begin > LONGEST)
			continue;
		period->begin = entry->begin < period->begin ? entry->begin : period->begin;
		period->end = entry->end > period->end ? entry->end : period->end;
	}
}

/* Find the earlier days that have intervals at the same time of day. All periods get the same
 * length, even if the local clock changes within a period (daylight saving time). */
static void find_days(struct why *why, const struct itv_list *list)
{
	extend(&why->now, list);
	for (int day = NR_DAYS; day; day--) {
		const int64_t begin = days_before(why->now.begin, day);
		const int64_t length = why->now.end - why->now.begin;
		const struct op_period period = { begin, begin + length };
		bool has_any = false, is_coarse = false;

		for (size_t i = 0; i < list->nr; i++) {
			if (!overlaps(&list->entries[i], &period))
				continue;
			has_any = true;
			is_coarse |= list->entries[i].end - list->entries[i].begin > LONGEST;
		}
		why->nr_coarse += is_coarse;
		if (has_any && !is_coarse)
			why->days[why->nr_days++] = period;
	}
}

/* Find the kernel of the present period, and a different kernel on the earlier days. */
static void find_kernels(struct why *why, const struct itv_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (overlaps(&list->entries[i], &why->now) && list->entries[i].kernel)
			why->kernel = list->entries[i].kernel;
	for (size_t day = 0; day < why->nr_days; day++)
		for (size_t i = 0; i < list->nr; i++) {
			uint32_t kernel = list->entries[i].kernel;

			if (overlaps(&list->entries[i], &why->days[day]) && kernel &&
			    kernel != why->kernel)
				why->other_kernel = kernel;
		}
}

/* If another kernel ran on earlier days, print both kernels. */
static void put_kernels(FILE *out, const struct why *why, int store)
{
	struct op_kernel_syms now = { 0 }, before = { 0 };

	if (!why->kernel || !why->other_kernel)
		return;
	fputs("The kernel differs from the days before", out);
	if (!itv_store_kernel_read(&now, why->kernel, store) &&
	    !itv_store_kernel_read(&before, why->other_kernel, store) && now.release &&
	    before.release)
		op_clean_printf(out, ": %s, before %s", now.release, before.release);
	putc('\n', out);
	op_kernel_syms_release(&before);
	op_kernel_syms_release(&now);
}

/* Fail with a message that no earlier day has intervals at this time of day. */
static int fail_without_days(const struct why *why, const char *session_dir, int store,
			     struct op_reason *error)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE], option[OP_SESSION_OPTION_SIZE];
	int64_t first, last;

	op_session_option(option, session_dir);
	if (itv_range_of_store(&first, &last, store))
		return op_fail(error, -ENODATA,
			       "cannot compare with the days before: no interval has been closed "
			       "yet; opreport%s --format=brief shows the present", option);
	if (why->nr_coarse)
		return op_fail(error, -ENODATA,
			       "cannot compare with the same hour of the days before: the "
			       "intervals are longer than two hours; opcontrol%s --interval=10m "
			       "makes shorter intervals", option);
	return op_fail(error, -ENODATA,
		       "cannot compare with the same hour of the %d days before: there are only "
		       "intervals from %s to %s; keep the daemon running until this hour of "
		       "tomorrow; opreport%s --format=brief '{' time:FROM..TO '}' "
		       "'{' time:FROM..TO '}' compares any two times", NR_DAYS,
		       op_time_text(from, first), op_time_text(to, last), option);
}

/* Return a tag for opreport that selects the periods, "time:@BEGIN..@END,@BEGIN..@END", malloc'd,
 * or NULL if out of memory. */
static char *time_word(const struct op_period *periods, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs("time:", f);
	for (size_t i = 0; i < nr; i++)
		fprintf(f, "%s@%" PRId64 "..@%" PRId64, i ? "," : "", periods[i].begin,
			periods[i].end);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* Run opreport, which compares the periods and prints the result. */
static int report(const struct why *why, const char *session_dir, struct op_reason *error)
{
	char *program = ctl_program_find("opreport"), *dir = NULL;
	char *before = time_word(why->days, why->nr_days), *now = time_word(&why->now, 1);
	int status = -ENOMEM;

	if (program && before && now && asprintf(&dir, "--session-dir=%s", session_dir) >= 0) {
		char *const argv[] = {
			program, (char *)"--format=brief", (char *)"--no-pager", dir,
			(char *)"{", before, (char *)"}", (char *)"{", now, (char *)"}", NULL,
		};

		status = ctl_spawn_report(argv);
	}
	free(now);
	free(before);
	free(dir);
	free(program);
	if (status < 0)
		return op_fail(error, status, "cannot run opreport: %s", strerror(-status));
	return status ? op_fail(error, -EIO, "cannot compare the times: see the message of opreport "
					     "above") : 0;
}

static int parse_time(struct op_period *ret, const char *text, struct op_reason *error)
{
	int64_t now = (int64_t)time(NULL);
	int err;

	if (!text) {
		*ret = (struct op_period){ now - NOW, now };
		return 0;
	}
	err = op_period_parse(ret, text, now, error);
	if (!err && ret->end == ret->begin)
		ret->end++;
	if (!err && ret->end - ret->begin > LONGEST)
		return op_fail(error, -EINVAL,
			       "option \"--why\": %s is longer than two hours: name a time of at "
			       "most two hours", text);
	return err;
}

/* Compare the samples of the period @asked with the samples at the same time of day on the earlier
 * days in the store of intervals, and print the result to @out. Return 0 or a negative errno. */
static int compare(FILE *out, const struct why *asked, const char *session_dir, int store,
		   struct op_reason *error)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	struct why why = *asked;
	struct itv_list list;
	int err = itv_store_list(&list, store);

	if (err)
		return op_fail(error, err, "cannot read the intervals of %s: %s", session_dir,
			       strerror(-err));
	find_days(&why, &list);
	find_kernels(&why, &list);
	itv_list_release(&list);
	if (!why.nr_days)
		return fail_without_days(&why, session_dir, store, error);
	fprintf(out, "Comparing %s to %s (\"after\") with this hour on %zu of the last %d days "
		     "(\"before\")\n", op_time_text(from, why.now.begin), op_time_text(to, why.now.end),
		why.nr_days, NR_DAYS);
	if (why.nr_days == 1)
		fputs("Only one day to compare with: a change may be one of the usual changes "
		      "between days\n",
		      out);
	put_kernels(out, &why, store);
	fflush(out);
	return report(&why, session_dir, error);
}

int ctl_why(FILE *out, const char *session_dir, const char *period, struct op_reason *error)
{
	struct why why = { .nr_days = 0 };
	char option[OP_SESSION_OPTION_SIZE];
	int samples_fd, store = -1, err = parse_time(&why.now, period, error);

	if (err)
		return err;
	samples_fd = ctl_session_open_samples(session_dir, OP_SESSION_READ, error);
	if (samples_fd == -ENOENT)
		return op_fail(error, samples_fd,
			       "%s has no session: opcontrol%s --interval=10m --start begins a "
			       "session with intervals", session_dir,
			       op_session_option(option, session_dir));
	if (samples_fd < 0)
		return samples_fd;
	store = err = itv_range_open_store(samples_fd);
	close(samples_fd);
	if (err == -ENOENT)
		return op_fail(error, err,
			       "%s has no intervals: opcontrol%s --interval=10m --start keeps "
			       "samples by time from then on", session_dir,
			       op_session_option(option, session_dir));
	if (err < 0)
		return op_fail(error, err, "cannot open the intervals of %s: %s", session_dir,
			       strerror(-err));
	err = compare(out, &why, session_dir, store, error);
	close(store);
	return err;
}
