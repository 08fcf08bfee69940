// SPDX-License-Identifier: GPL-2.0-or-later
/* warnings.c -- warnings about a profile. */
#include "config.h"
#include "pp/profile/warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/grow.h"
#include "libop/event/spec.h"
#include "pp/image/debug_file.h"
#include "pp/profile/sort.h"

#define MAX_EACH	5	/* maximum number of warnings about single binaries */
#define MAX_NAMED	3	/* maximum number of binaries that a combined warning names */

int pp_warnings_add_queue(struct pp_warnings *w, uint32_t binary, struct pp_log_queue *queue,
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

/* A binary that has warnings, and its samples. */
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

/* Find the binaries with warnings whose samples reach the threshold, store them in @warned, and
 * return their number. @counts: a zeroed array with one element for each binary and each class of
 * samples. */
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
		bool is_wanted = log->verbose;

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

/* Return the number of samples of each binary, summed over all classes of samples, malloc'd. */
static uint64_t *sums_of_binaries(const struct pp_profile *profile)
{
	uint64_t *sums = calloc(profile->nr_binaries + 1, sizeof(*sums));

	for (size_t i = 0; sums && i < profile->nr_groups; i++)
		for (size_t c = 0; c < profile->nr_classes; c++)
			sums[profile->groups[i].binary] += profile->groups[i].counts[c];
	return sums;
}

const char *pp_gone_id(char buf[PP_GONE_ID_SIZE], const struct pp_binary *binary)
{
	const char *id = binary->info.missing_id;

	buf[0] = '\0';
	if (id)
		snprintf(buf, PP_GONE_ID_SIZE,
			 ". Its build-id is %s: debuginfod-find executable %s", id, id);
	return buf;
}

int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log)
{
	uint64_t *sums = sums_of_binaries(profile), sum = 0;
	size_t largest = 0, nr = 0;
	char others[40] = "", id[PP_GONE_ID_SIZE];

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		if (profile->binaries[i].info.state != PP_IMAGE_KEPT || !sums[i])
			continue;
		if (!nr++ || sums[i] > sums[largest])
			largest = i;
		sum += sums[i];
	}
	if (nr > 1)
		snprintf(others, sizeof(others), " and of %zu more", nr - 1);
	if (nr && (log->verbose || sum > profile->nr_samples / 100))
		pp_warn(log,
			"%" PRIu64 " of %" PRIu64
			" samples have no %s, because the session has only the symbols of "
			"%s%s. " PP_GONE_WAYS "%s",
			sum, profile->nr_samples, what, profile->binaries[largest].title, others,
			pp_gone_id(id, &profile->binaries[largest]));
	free(sums);
	return 0;
}

/* Lines of a report about samples without symbols, by binary. */

#define LARGE		5.0	/* smallest percentage of a binary's samples that is reported */
#define MAX_NAMES	3
#define A_SERVER	"https://debuginfod.elfutils.org"

/* A binary, and the number of its samples without a symbol. */
struct unnamed {
	const struct pp_binary *binary;
	uint64_t *counts, sum;
};

/* Return whether the binary seems to be stripped. Exclude the kernel, code made at run time, and
 * missing or changed binaries, for which other messages exist. */
static bool is_stripped(const struct pp_binary *binary)
{
	return binary->name->kind == OP_IMAGE_ROOT &&
	       (binary->info.has_elf || binary->info.is_named) &&
	       (binary->info.state == PP_IMAGE_OK || binary->info.state == PP_IMAGE_NO_SYMBOLS);
}

static int by_sum(const void *a, const void *b)
{
	const struct unnamed *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->binary->title, y->binary->title);
}

/* Store the binaries with a large share of samples without a symbol in @all, largest share first.
 * Return their number. @all: one element for each binary. @counts: zeroed, with one element for
 * each binary and each class of samples. */
static size_t find_unnamed(struct unnamed *all, uint64_t *counts, const struct pp_profile *profile)
{
	size_t classes = profile->nr_classes, nr = 0;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_code *code = pp_entry_code(profile, entry);

		if (!entry->counts ||
		    (code->kind != PP_CODE_IMAGE && code->kind != PP_CODE_UNCOVERED))
			continue;
		for (size_t c = 0; c < classes; c++)
			counts[code->binary * classes + c] += entry->counts[c];
	}
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		struct unnamed one = {.binary = &profile->binaries[i],
				      .counts = counts + i * classes};

		for (size_t c = 0; c < classes; c++)
			one.sum += one.counts[c];
		if (is_stripped(one.binary) &&
		    pp_reaches(one.counts, profile->totals, classes, LARGE))
			all[nr++] = one;
	}
	qsort(all, nr, sizeof(*all), by_sum);
	return nr;
}

static void put_names(FILE *out, const struct unnamed *all, size_t nr, double total)
{
	for (size_t i = 0; i < nr && i < MAX_NAMES; i++)
		op_clean_printf(out, "%s%s (%.3g %%)", i ? ", " : "", all[i].binary->title,
				100 * all[i].sum / total);
	if (nr > MAX_NAMES)
		fprintf(out, " and %zu more", nr - MAX_NAMES);
	putc('\n', out);
}

/* Print how to get symbols for the binary with the most samples. The same commands help for the
 * other binaries. */
static void print_remedies(FILE *out, const struct pp_binary *binary, const char *command,
			   bool asked)
{
	const char *id = binary->info.build_id, *urls = getenv("DEBUGINFOD_URLS");

	if (binary->info.is_named) {
		fputs("  The host of the binary names the functions: install debug symbols there, "
		      "for later intervals\n", out);
		return;
	}
	if (!id || strlen(id) < 3) {
		op_clean_printf(out,
				"  %s has no build-id, so no debug file can be found for it: build "
				"it anew, and do not strip it\n",
				binary->title);
		return;
	}
	if (!asked)
		op_clean_printf(out, "  To ask a server for them: %s%s%s\n",
				urls && *urls ? "" : "DEBUGINFOD_URLS=" A_SERVER " ", command,
				strstr(command, " --debuginfod") ? "" : " --debuginfod");
	op_clean_printf(out,
			"  Or install its package of debug symbols (-dbgsym, -debuginfo), or copy "
			"the unstripped file to " PP_DEBUG_DIR "/.build-id/%.2s/%s.debug\n",
			id, id + 2);
}

/* Return the sum of all classes of samples, but at least 1, because callers divide by it and
 * filters may exclude all samples. */
static double total_of(const struct pp_profile *profile)
{
	double total = 0;

	for (size_t c = 0; c < profile->nr_classes; c++)
		total += profile->totals[c];
	return total > 0 ? total : 1;
}

int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out)
{
	uint64_t *counts = calloc(profile->nr_binaries * profile->nr_classes + 1, sizeof(*counts));
	struct unnamed *all = calloc(profile->nr_binaries + 1, sizeof(*all));
	size_t nr = 0;
	int err = counts && all ? 0 : -ENOMEM;

	if (!err)
		nr = find_unnamed(all, counts, profile);
	if (nr) {
		fputs("Samples without symbols: ", out);
		put_names(out, all, nr, total_of(profile));
		print_remedies(out, all[0].binary, command, asked);
	}
	free(all);
	free(counts);
	return err;
}

/* Comparison of the samples in a session's files with the totals that the daemon recorded. */

#define SECOND		1000000000u
/* maximum number of samples of a hardware event per second and CPU, the kernel's default limit */
#define OTHER_RATE	100000
/* maximum number of hardware events per second and CPU: eight per cycle at 10 GHz */
#define OTHER_EVENTS	80000000000u
#define MAX_EVENTS	32
/* maximum number of threads of a machine (PID_MAX_LIMIT) that wait at the same time */
#define MAX_THREADS	4194304
/* maximum time in seconds between the daemon's counting of a sample and storing it in a file */
#define ON_THEIR_WAY	20

/* Return the maximum number of samples that the event of @file can cause per second and CPU. */
static uint64_t most_of_event(const struct pp_sample_file *file)
{
	uint64_t rate;

	if (!file->name.count)
		return OTHER_RATE;
	if (!strcmp(file->name.event, OP_EVENT_TIMER) ||
	    !strcmp(file->name.event, OP_EVENT_LATENCY))
		return SECOND / file->name.count + 1;
	if (op_event_is_offcpu(file->name.event))
		return (SECOND / file->name.count + 1) * MAX_THREADS;
	rate = OTHER_EVENTS / file->name.count + 1;
	return rate < OTHER_RATE ? rate : OTHER_RATE;
}

static bool is_same_event(const struct pp_sample_file *a, const struct pp_sample_file *b)
{
	return a->name.count == b->name.count && a->name.um == b->name.um &&
	       !strcmp(a->name.event, b->name.event);
}

/* Return the maximum number of samples that all events of session @i together can cause per second
 * and CPU. */
static uint64_t most_in_second(const struct pp_session *session, size_t i)
{
	const struct pp_sample_file *events[MAX_EVENTS];
	size_t nr = 0, e;
	uint64_t most = 0;

	for (size_t f = 0; f < session->files.nr; f++) {
		const struct pp_sample_file *file = &session->files.items[f];

		if (file->session != i)
			continue;
		for (e = 0; e < nr && !is_same_event(events[e], file); e++)
			;
		if (e < nr)
			continue;
		if (nr == MAX_EVENTS)
			return MAX_EVENTS * OTHER_RATE;
		events[nr++] = file;
		most += most_of_event(file);
	}
	return most ? most : OTHER_RATE;
}

uint64_t pp_stored_after(const struct pp_session *session, size_t i)
{
	const struct pp_source *source = session->sources[i];
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t now, seconds = ON_THEIR_WAY;

	if (!source->stats.writer.pid || !op_session_writer_lives(&source->stats.writer))
		return 0;
	now = op_clock_ns(CLOCK_REALTIME);
	if (source->stats_ns && now > source->stats_ns)
		seconds += (now - source->stats_ns) / SECOND + 1;
	return most_in_second(session, i) * seconds * (uint64_t)(cpus < 1 ? 1 : cpus);
}

static void check(const struct pp_session *session, size_t i, uint64_t read, struct pp_log *log)
{
	const struct op_session_stats *stats = &session->sources[i]->stats;
	uint64_t stored = op_session_stats_sum(stats, OP_STAT_STORED);
	bool lives = stats->writer.pid && op_session_writer_lives(&stats->writer);
	const char *dir = session->samples_dirs[i];

	if (read > stored && read - stored > pp_stored_after(session, i))
		pp_warn(log,
			"%s: its files have %" PRIu64 " samples, but only %" PRIu64
			" were stored: %s",
			dir, read, stored,
			lives		    ? "a file is damaged"
			: stats->writer.pid ? "its daemon was killed, or a file is damaged"
					    : "a file is damaged");
	/* Skip archives: earlier versions of oparchive stored a part of a session with the totals
	 * of the whole session. */
	else if (read < stored && !session->is_filtered && !session->archive)
		pp_warn(log,
			"%s: its files lack %" PRIu64 " of the %" PRIu64
			" samples that were stored",
			dir, stored - read, stored);
}

void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		/* A database has the totals of all samples, and a report reads a part. */
		if (session->spec->store)
			continue;
		/* Skip profiles that programs wrote, because pp/source/ checks them. Skip sessions
		 * that are read together with such profiles, because only their kernel samples are
		 * read. Skip sessions of OProfile 1.4's operf, whose totals count only its last
		 * run. */
		if (source->memory || session->nr_profiles || session->has_operf_stats ||
		    !source->stats.nr)
			continue;
		check(session, i, read[i], log);
	}
}
