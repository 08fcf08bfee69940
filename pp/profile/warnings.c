// SPDX-License-Identifier: GPL-2.0-or-later
/* warnings.c -- a queue of warnings, until the shares of their binaries are known. */
#include "config.h"
#include "pp/profile/warnings.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/profile/threshold.h"

#define MAX_EACH	5	/* binaries with a warning of their own */
#define MAX_NAMED	3	/* binaries named in the warning of more */

int pp_warnings_take(struct pp_warnings *w, uint32_t binary, struct pp_log_queue *queue,
		     struct pp_log *log)
{
	for (size_t i = 0; i < queue->nr; i++) {
		struct pp_queued_message *message = &queue->messages[i];

		if (message->level != PP_LOG_WARNING) {
			log->write(log, message->level, message->text);
			continue;
		}
		if (op_grow(&w->items, w->nr))
			return -ENOMEM;
		w->items[w->nr++] = (struct pp_binary_warning){ binary, message->text };
		message->text = NULL;
	}
	pp_log_queue_release(queue);
	return 0;
}

/* A binary with warnings, and its samples. */
struct warned {
	uint32_t binary;
	uint64_t sum;
	uint64_t *counts;
};

static int compare_warned(const void *a, const void *b)
{
	const struct warned *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

/* Store the binaries that reach the threshold in @warned. Return their number. @counts: zeroed,
 * with room for all binaries. */
static size_t find_warned(struct warned *warned, uint64_t *counts, const struct pp_warnings *w,
			  const struct pp_profile *profile, double threshold)
{
	size_t classes = profile->nr_classes, nr = 0;

	for (size_t i = 0; i < profile->nr_groups; i++)
		for (size_t c = 0; c < classes; c++)
			counts[profile->groups[i].binary * classes + c] +=
				profile->groups[i].counts[c];
	for (size_t i = 0; i < w->nr; i++) {
		struct warned *one = &warned[nr];

		if (i && w->items[i - 1].binary == w->items[i].binary)
			continue;
		*one = (struct warned){ .binary = w->items[i].binary };
		one->counts = counts + one->binary * classes;
		for (size_t c = 0; c < classes; c++)
			one->sum += one->counts[c];
		nr += pp_reaches(one->counts, profile->totals, classes, threshold);
	}
	return nr;
}

static void report_each(const struct pp_warnings *w, const struct warned *warned, size_t nr,
		      struct pp_log *log)
{
	for (size_t i = 0; i < w->nr; i++) {
		int is_wanted = log->verbose;

		for (size_t j = 0; j < nr && !is_wanted; j++)
			is_wanted = warned[j].binary == w->items[i].binary;
		if (is_wanted)
			log->write(log, PP_LOG_WARNING, w->items[i].text);
	}
}

static void report_together(struct warned *warned, size_t nr, const struct pp_profile *profile,
			  struct pp_log *log)
{
	double all = profile->nr_samples ? profile->nr_samples : 1, sum = 0;
	const char *names[MAX_NAMED];
	double shares[MAX_NAMED];

	qsort(warned, nr, sizeof(*warned), compare_warned);
	for (size_t i = 0; i < nr; i++)
		sum += warned[i].sum;
	for (size_t i = 0; i < MAX_NAMED; i++) {
		names[i] = profile->binaries[warned[i].binary].title;
		shares[i] = 100 * warned[i].sum / all;
	}
	pp_warn(log,
		"%zu binaries with %.3g %% of the samples are missing, changed or damaged, so "
		"names are missing or may be wrong: %s (%.3g %%), %s (%.3g %%), %s (%.3g %%) and "
		"%zu more; -V lists each",
		nr, 100 * sum / all, names[0], shares[0], names[1], shares[1], names[2], shares[2],
		nr - MAX_NAMED);
}

int pp_warnings_report(const struct pp_warnings *w, const struct pp_profile *profile,
		     double threshold, struct pp_log *log)
{
	uint64_t *counts;
	struct warned *warned;
	size_t nr;

	if (!w->nr)
		return 0;
	counts = calloc(profile->nr_binaries * profile->nr_classes + 1, sizeof(*counts));
	warned = calloc(w->nr, sizeof(*warned));
	if (!counts || !warned) {
		free(counts);
		free(warned);
		return -ENOMEM;
	}
	nr = find_warned(warned, counts, w, profile, threshold);
	if (nr <= MAX_EACH || log->verbose)
		report_each(w, warned, nr, log);
	else
		report_together(warned, nr, profile, log);
	free(counts);
	free(warned);
	return 0;
}

void pp_warnings_release(struct pp_warnings *w)
{
	for (size_t i = 0; i < w->nr; i++)
		free(w->items[i].text);
	free(w->items);
	*w = (struct pp_warnings){ 0 };
}
