// SPDX-License-Identifier: GPL-2.0-or-later
/* text_header.c -- the lines that precede a report: CPU, events, columns. */
#include "config.h"
#include "pp/format/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/interval.h"
#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/reason.h"
#include "libop/base/time_words.h"
#include "libop/cpu/type.h"
#include "libop/event/choose.h"
#include "libop/event/spec.h"
#include "libop/event/tracepoint.h"
#include "libop/raw/probe_words.h"
#include "pp/format/path_why.h"
#include "pp/format/percent.h"
#include "pp/image/images.h"
#include "pp/join/diff.h"
#include "pp/profile/sort.h"
#include "pp/profile/warnings.h"
#include "pp/session/range.h"
#include "pp/session/session.h"

/*
 * How programs were profiled, from the profiles that they wrote about themselves. Each fact is
 * printed once for all profiles.
 */

/* maximum length of all command lines together; if they are longer, print only the names of their
 * programs */
#define MANY 160

/* Set *@ret to the name of the program in the command line @command. Return the length of the
 * name. */
static size_t name_of(const char **ret, const char *command)
{
	size_t len = strcspn(command, " ");

	*ret = command;
	for (size_t i = 0; i < len; i++)
		if (command[i] == '/')
			*ret = command + i + 1;
	return command + len - *ret;
}

static bool same_name(const struct pp_source *a, const struct pp_source *b)
{
	const char *x, *y;
	size_t len;

	if (!a->command || !b->command)
		return false;
	len = name_of(&x, a->command);
	return len == name_of(&y, b->command) && !memcmp(x, y, len);
}

/* Print the names of programs and the number of profiles of each program, such as "as (6), cc1 (6),
 * make". */
static void print_names(FILE *out, const struct pp_session *session)
{
	bool is_first = true;

	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];
		size_t nr = 0, j = i;
		const char *name;
		int len;

		while (j && !same_name(source, session->sources[j - 1]))
			j--;
		if (j || !source->command)
			continue;
		for (j = i; j < session->nr_samples_dirs; j++)
			nr += same_name(source, session->sources[j]);
		len = (int)name_of(&name, source->command);
		op_clean_printf(out, "%s%.*s", is_first ? "" : ", ", len, name);
		if (nr > 1)
			fprintf(out, " (%zu)", nr);
		is_first = false;
	}
}

static void print_commands(FILE *out, const struct pp_session *session)
{
	struct op_session_about all = { 0 };
	uint32_t outside = 0;

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->command) {
			op_session_about_add_command(&all, session->sources[i]->command);
			outside += session->sources[i]->from_outside;
		}
	if (!all.nr_commands)
		return;
	fprintf(out, "Profiled from %s: ",
		!outside		    ? "inside"
		: outside < all.nr_commands ? "inside and outside"
					    : "outside");
	if (all.nr_commands > 1 && strlen(all.command) > MANY)
		print_names(out, session);
	else
		op_clean_printf(out, "%s", all.command);
	if (all.nr_commands > 1)
		fprintf(out, " (%" PRIu32 " files)", all.nr_commands);
	putc('\n', out);
}

/* Return whether two profiles were sampled in the same way, so that their sampling rates can be
 * added. */
static bool same_way(const struct pp_source_rate *a, const struct pp_source_rate *b)
{
	return a->driver == b->driver && a->refused == b->refused && a->period_ns == b->period_ns &&
	       (a->event && b->event ? !strcmp(a->event, b->event) : a->event == b->event);
}

/* Return whether two profiles are from threads of the same process. The sampling rate in a thread's
 * profile is the rate of the whole process. */
static bool same_process(const struct pp_source *x, const struct pp_source *y)
{
	const struct pp_source_rate *a = &x->rate, *b = &y->rate;

	return same_way(a, b) && a->signals == b->signals && a->cpu_ns == b->cpu_ns &&
	       (x->command && y->command ? !strcmp(x->command, y->command)
					 : x->command == y->command);
}

static bool samples_time(const struct pp_source *source, uint64_t period_ns)
{
	for (size_t i = 0; i < source->nr_classes; i++)
		if (!strcmp(source->classes[i].event, OP_EVENT_TIMER) &&
		    source->classes[i].count == period_ns)
			return true;
	return false;
}

/* Return the number of profiles that have no rate, because their programs were killed. */
static size_t count_silent(const struct pp_session *session, uint64_t period_ns)
{
	size_t nr = 0;

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		nr += session->sources[i]->memory && session->sources[i]->has_paths &&
		      !pp_source_rate_is_known(&session->sources[i]->rate) &&
		      samples_time(session->sources[i], period_ns);
	return nr;
}

static void print_rate(FILE *out, const struct pp_session *session,
		       const struct pp_source_rate *rate)
{
	bool is_perf = rate->driver == RAW_PROBE_PERF;
	size_t silent = rate->event ? 0 : count_silent(session, rate->period_ns);

	fputs("  ", out);
	if (rate->refused)
		fprintf(out, "perf_event_open() was refused (%s), so ",
			strerror((int)rate->refused));
	fprintf(out, "%s by %s: %" PRIu64 " signals in %.3f s of %s%s, "
		"%.0f of %.0f requested a second%s",
		rate->event ? rate->event : OP_EVENT_TIMER, raw_probe_drivers[rate->driver],
		rate->signals, rate->cpu_ns / 1e9, rate->clock ? rate->clock : "CPU time",
		is_perf && !rate->clock ? " in user mode" : "", rate->signals * 1e9 / rate->cpu_ns,
		1e9 / rate->period_ns,
		is_perf || rate->event ? "" : ", and each signal stands for the time since the "
					      "previous signal");
	if (silent)
		fprintf(out, "; %zu more file%s not contain rates", silent, silent > 1 ? "s do" : " does");
	putc('\n', out);
}

static void print_rates(FILE *out, const struct pp_session *session)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		struct pp_source_rate sum = session->sources[i]->rate;
		bool is_first = pp_source_rate_is_known(&sum);

		for (size_t j = 0; j < i && is_first; j++)
			is_first = !same_way(&session->sources[j]->rate, &sum);
		if (!is_first)
			continue;
		for (size_t j = i + 1; j < session->nr_samples_dirs; j++) {
			const struct pp_source_rate *rate = &session->sources[j]->rate;
			bool is_new = pp_source_rate_is_known(rate) &&
				      same_way(rate, &session->sources[i]->rate);

			for (size_t k = i; k < j && is_new; k++)
				is_new = !same_process(session->sources[k], session->sources[j]);
			if (!is_new)
				continue;
			sum.signals += rate->signals;
			sum.cpu_ns += rate->cpu_ns;
		}
		print_rate(out, session, &sum);
	}
}

/* Print the command lines of the profiled programs, and the rates at which their CPU time was
 * sampled. */
static void text_profiled(FILE *out, const struct pp_session *session)
{
	print_commands(out, session);
	print_rates(out, session);
}

static void print_whole(FILE *out, struct pp_source_whole of, const char *one, const char *many)
{
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, of.whole < of.recorded ? of.whole : of.recorded, of.recorded);
	fprintf(out, "%s %% of %" PRIu64 " %s", percent + strspn(percent, " "), of.recorded,
		op_plural(of.recorded, one, many));
}

/* Print the share of recorded call paths that are complete, in a report that does not show call
 * paths. A report with call paths prints the share of its own paths. */
static void text_whole_paths(FILE *out, const struct pp_session *session)
{
	struct pp_source_whole signals = { 0 }, calls = { 0 };

	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		signals.recorded += source->of_signals.recorded;
		signals.whole += source->of_signals.whole;
		calls.recorded += source->of_calls.recorded;
		calls.whole += source->of_calls.whole;
	}
	if (!signals.recorded && !calls.recorded)
		return;
	fputs("The whole path is known for ", out);
	if (signals.recorded)
		print_whole(out, signals, "sample", "samples");
	if (signals.recorded && calls.recorded)
		fputs(" and of ", out);
	if (calls.recorded)
		print_whole(out, calls, "call", "calls");
	fputs(".\n", out);
}

/* Descriptions of a CPU's events and unit masks, from the event tables. */

struct pp_event_words {
	struct op_event_table *table;
};

/* Return the descriptions of the CPU type's events, or NULL if no event table exists. Without an
 * event table, reports have no descriptions. */
static struct pp_event_words *event_words_load(uint32_t cpu_type)
{
	const struct op_cpu_desc *cpu = op_cpu_by_number(cpu_type);
	struct pp_event_words *words;
	struct op_reason error = { "" };

	if (!cpu)
		return NULL;
	words = calloc(1, sizeof(*words));
	if (words && !op_events_load(&words->table, cpu, NULL, &error))
		return words;
	free(words);
	return NULL;
}

/* Free @words, which may be NULL. */
static void event_words_free(struct pp_event_words *words)
{
	if (!words)
		return;
	op_event_table_free(words->table);
	free(words);
}

/* Return the description of an event, never NULL. The text is valid as long as @words. */
static const char *event_meaning(struct pp_event_words *words, const char *event)
{
	const struct op_event *found = op_event_find(words->table, event);

	if (!found && op_event_name_is_tracepoint(event))
		return OP_TRACEPOINT_MEANING;
	return found && found->desc ? found->desc : "Unknown event";
}

static const char *unit_mask_meaning(struct pp_event_words *words, const char *event, uint32_t um)
{
	const struct op_event *found = op_event_find(words->table, event);
	uint32_t bits = um, extra = 0;
	const struct op_um_value *value =
		found ? op_um_from_word(found, um, &bits, &extra) : NULL;

	if (value && value->desc)
		return value->desc;
	um = bits;
	if (!um)
		return "No unit mask";
	return um & (um - 1) ? "multiple flags" : "Unknown unit mask";
}

/* Print the CPU, unless the profile was written by a probe, which does not record the CPU. */
static void print_cpu(const struct pp_report *report)
{
	const struct op_cpu_desc *cpu = op_cpu_by_number(report->profile->cpu_type);

	if (report->session->nr_profiles == report->session->nr_samples_dirs)
		return;
	if (cpu)
		fprintf(report->out, "CPU: %s", cpu->pretty);
	else
		fprintf(report->out, "CPU: of unknown type %" PRIu32, report->profile->cpu_type);
	if (report->profile->cpu_speed > 0)
		fprintf(report->out, ", speed %g MHz (estimated)", report->profile->cpu_speed);
	putc('\n', report->out);
}

static void print_timer(FILE *out, uint64_t ns)
{
	fputs("Profiling through timer interrupt", out);
	if (ns)
		fprintf(out, ", every %g ms", ns / 1e6);
	putc('\n', out);
}

static void print_meaning(FILE *out, const char *meaning)
{
	fputs(" (", out);
	pp_text_print(out, meaning, 0, 0);
	putc(')', out);
}

/* If several events shared the CPU's counters, print the share of time in which the event of @class
 * was counted. */
static void print_share_of_time(FILE *out, const struct pp_class *class)
{
	if (pp_class_is_scaled(class))
		fprintf(out, ", scaled: it was counted %.1f%% of the time",
			100.0 * class->running_ns / class->enabled_ns);
}

static void print_event(FILE *out, const struct pp_class *class, struct pp_event_words *words)
{
	fputs("Counted ", out);
	pp_text_print(out, class->event, 0, 0);
	fputs(" events", out);
	if (words)
		print_meaning(out, event_meaning(words, class->event));
	/* waits for all reasons have no unit mask */
	if (class->um || strcmp(class->event, OP_EVENT_OFFCPU))
		fprintf(out, " with a unit mask of 0x%02" PRIx32, class->um);
	if (words && (class->um || strcmp(class->event, OP_EVENT_OFFCPU)))
		print_meaning(out, unit_mask_meaning(words, class->event, class->um));
	fprintf(out, " count %" PRIu64, class->count);
	print_share_of_time(out, class);
	putc('\n', out);
}

static bool is_time(const char *event)
{
	return !strcmp(event, OP_EVENT_TIMER) || !strcmp(event, "CPU_TIME") ||
	       !strcmp(event, "USER_TIME") || !strcmp(event, "WALL");
}

/* Return text that says where samples of the event of @class were taken: by a probe inside the
 * program, from outside the program, or both. */
static const char *sampler_name(const struct pp_session *session, const struct pp_class *class)
{
	bool inside = false, outside = false;

	for (size_t i = 0; i < session->files.nr; i++) {
		const struct pp_sample_file *file = &session->files.items[i];
		const struct pp_source *source = session->sources[file->session];

		if (!source->memory || file->name.count != class->count ||
		    strcmp(file->name.event, class->event))
			continue;
		outside |= source->from_outside;
		inside |= !source->from_outside;
	}
	return !outside ? "inside" : inside ? "inside and outside" : "outside";
}

/* Print a line about an event that was sampled in a program and that is not a CPU event, such as
 * CPU time or allocated bytes. */
static void print_metric(FILE *out, const struct pp_session *session, const struct pp_class *class)
{
	fprintf(out, "Sampled from %s the program: ", sampler_name(session, class));
	pp_text_print(out, class->event, 0, 0);
	if (class->count && is_time(class->event))
		fprintf(out, ", every %g ms", class->count / 1e6);
	else if (class->count > 1)
		fprintf(out, ", every %" PRIu64, class->count);
	putc('\n', out);
}

static bool is_first_of_event(const struct pp_classes *classes, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(classes->items[j].event, classes->items[i].event) &&
		    classes->items[j].count == classes->items[i].count &&
		    classes->items[j].um == classes->items[i].um)
			return false;
	return true;
}

/* Return whether a source has samples of the event of @class. @of_profiles: search the profiles
 * that programs wrote about themselves, else the sessions of the daemon. */
static bool has_files(const struct pp_session *session, const struct pp_class *class,
		      bool of_profiles)
{
	for (size_t i = 0; i < session->files.nr; i++) {
		const struct pp_sample_file *file = &session->files.items[i];

		if (file->name.count == class->count && !strcmp(file->name.event, class->event) &&
		    !session->sources[file->session]->memory == !of_profiles)
			return true;
	}
	return false;
}

/* Return whether probes count the event of @class without sampling. The header lists all such
 * events in one line, because a probe counts seven events of the heap alone. */
static bool is_counted(const struct pp_class *class)
{
	return strcmp(pp_class_unit(class), "samples") && class->count <= 1;
}

static void print_counted(FILE *out, const struct pp_classes *classes)
{
	bool is_first = true;

	for (size_t i = 0; i < classes->nr; i++) {
		if (!is_counted(&classes->items[i]) || !is_first_of_event(classes, i))
			continue;
		fputs(is_first ? "Counted inside the program: " : ", ", out);
		pp_text_print(out, classes->items[i].event, 0, 0);
		is_first = false;
	}
	if (!is_first)
		putc('\n', out);
}

static void print_events(const struct pp_report *report)
{
	const struct pp_classes *classes = &report->session->classes;
	bool are_profiles = report->session->nr_profiles == report->session->nr_samples_dirs;
	struct pp_event_words *words = NULL;
	int tried = 0;

	for (size_t i = 0; i < classes->nr; i++) {
		const struct pp_class *class = &classes->items[i];

		if (!is_first_of_event(classes, i) || is_counted(class))
			continue;
		if (are_profiles || has_files(report->session, class, true))
			print_metric(report->out, report->session, class);
		if (are_profiles || !has_files(report->session, class, false))
			continue;
		if (!strcmp(class->event, OP_EVENT_TIMER)) {
			print_timer(report->out, class->count);
			continue;
		}
		if (!tried)
			words = event_words_load(report->profile->cpu_type);
		tried = 1;
		print_event(report->out, class, words);
	}
	event_words_free(words);
	print_counted(report->out, classes);
}

/* Print the number of samples in one profile by event, such as "Before: 1000 CYCLES:100000, 20
 * LLC_MISSES:6000". Omit the name of the event if the profile has only one event. */
static void print_totals(const struct pp_report *report, const char *side, const uint64_t *totals)
{
	const struct pp_classes *classes = &report->session->classes;

	fprintf(report->out, "%s:", side);
	for (size_t i = 0; i < classes->nr; i++) {
		char *title = classes->nr > 1 ? pp_text_class_title(report->session, i) : NULL;

		fprintf(report->out, "%s %" PRIu64 " ", i ? "," : "", totals[i]);
		pp_text_print(report->out, title ? title : pp_class_unit(classes->items), 0, 0);
		free(title);
	}
	putc('\n', report->out);
}

static void put_clean(FILE *out, const char *text)
{
	op_clean_printf(out, "%s", text);
}

/*
 * Print the share of complete paths if the report does not show paths, and so does not print the
 * share itself. The totals in profiles that programs wrote cover all samples, so print nothing if
 * the report has only a part of the samples.
 */
static void print_whole_paths(const struct pp_report *report, const struct pp_session *session,
			      const struct pp_profile *profile)
{
	const struct pp_format_options *options = report->options;

	if (!profile->paths && !session->is_filtered && !options->some_symbols)
		text_whole_paths(report->out, session);
	if (profile->paths && options->is_of_heap && !report->before && !options->calltree &&
	    !options->why_short) {
		pp_path_shares_put(report->out, report, "\n", put_clean);
		putc('\n', report->out);
	}
}

/* Print the facts about one profile. @side: "Before" or "After" in a differential profile, else
 * NULL. @totals: the profile's samples by class (event, for example). */
static void print_side(const struct pp_report *report, const char *side,
		       const struct pp_session *session, const struct pp_profile *profile,
		       const uint64_t *totals)
{
	if (side)
		print_totals(report, side, totals);
	pp_text_sessions(report, session);
	text_profiled(report->out, session);
	pp_text_losses(report, session, profile);
	print_whole_paths(report, session, profile);
}

static void print_task(FILE *out, const char *what, int id, const char *name)
{
	op_clean_printf(out, "Processes with a %s of %d%s%s%s\n", what, id, name ? " (" : "",
			name ? name : "", name ? ")" : "");
}

static void print_axis(FILE *out, const struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->nr; i++) {
		const struct pp_class *class = &classes->items[i];

		if (classes->axis == PP_AXIS_SOURCE)
			op_clean_printf(out, "Samples of %s\n", class->source);
		else if (classes->axis == PP_AXIS_CPU && class->cpu != OP_ALL)
			fprintf(out, "Samples on CPU %d\n", class->cpu);
		else if (class->cpu_unknown || class->tid_unknown || class->tgid_unknown)
			fprintf(out, "Samples whose %s was not recorded\n",
				class->cpu_unknown   ? "CPU"
				: class->tid_unknown ? "thread"
						     : "process");
		else if (classes->axis == PP_AXIS_TID && class->tid != OP_ALL)
			print_task(out, "thread ID", class->tid, class->task_name);
		else if (classes->axis == PP_AXIS_TGID && class->tgid != OP_ALL)
			print_task(out, "thread group ID", class->tgid, class->task_name);
	}
}

/* Return whether the kernel function @name enables interrupts, so that a pending timer interrupt
 * hits it. */
static bool enables_interrupts(const char *name)
{
	return strstr(name, "_unlock_irq") || !strncmp(name, "finish_task_switch", 18) ||
	       !strcmp(name, "__local_bh_enable_ip");
}

/* If functions that enable interrupts have at least this share of the samples, in percent,
 * print_late_interrupts() prints a line. */
#define LEAST_SHARE 0.5

/* Explain why functions that enable interrupts have many samples: a timer interrupt waits while
 * interrupts are disabled. */
static void print_late_interrupts(const struct pp_report *report)
{
	const struct pp_classes *classes = &report->session->classes;
	const struct pp_profile *profile = report->profile;

	if (!classes->nr || strcmp(classes->items[0].event, OP_EVENT_TIMER) ||
	    report->session->nr_profiles)
		return;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_code *code = pp_entry_code(profile, entry);

		if (!entry->counts || profile->binaries[code->binary].name->kind != OP_IMAGE_KERN ||
		    !enables_interrupts(code->name) ||
		    !pp_reaches(entry->counts, profile->totals, 1, LEAST_SHARE))
			continue;
		fputs("Sampled by a timer, so ", report->out);
		pp_text_print(report->out, code->name, 0, 0);
		fputs(" and similar functions have samples of the code before them, which ran "
		      "with interrupts off\n",
		      report->out);
		return;
	}
}

#define MAX_NAMES 3

static int compare_titles(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort @titles and remove duplicates. Return the number of remaining titles. */
static size_t count_titles(const char **titles, size_t nr)
{
	size_t different = nr > 0;

	qsort(titles, nr, sizeof(*titles), compare_titles);
	for (size_t i = 1; i < nr; i++)
		different += !!strcmp(titles[i], titles[i - 1]);
	return different;
}

static bool is_among(const char *const *titles, size_t nr, const char *title)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(titles[i], title))
			return true;
	return false;
}

/* Print the binaries with the state @state, whose samples have no symbols. A differential profile
 * may contain a binary twice, once for each side. */
static int print_binaries(const struct pp_report *report, enum pp_image_state state,
			  const char *what)
{
	const struct pp_profile *profile = report->profile;
	const char **titles, *named[MAX_NAMES];
	size_t nr = 0, nr_named = 0;

	if (!report->images)
		return 0;
	titles = calloc(profile->nr_binaries + 1, sizeof(*titles));
	if (!titles)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		const struct pp_binary *binary = &profile->binaries[i];

		if (binary->info.state != state || binary->name->kind != OP_IMAGE_ROOT ||
		    !strncmp(binary->name->path, OP_MORE_PROGRAMS, strlen(OP_MORE_PROGRAMS)))
			continue;
		titles[nr++] = binary->title;
		if (nr_named == MAX_NAMES || is_among(named, nr_named, binary->title))
			continue;
		fputs(nr_named ? ", " : what, report->out);
		if (!nr_named)
			fputs(": ", report->out);
		pp_text_print(report->out, binary->title, 0, 0);
		named[nr_named++] = binary->title;
	}
	nr = count_titles(titles, nr);
	if (nr > MAX_NAMES)
		fprintf(report->out, " and %zu more", nr - MAX_NAMES);
	if (nr)
		putc('\n', report->out);
	free(titles);
	return 0;
}

/* Round a time in ms to seconds, or to minutes if it is long. */
static int64_t rounded_time(uint64_t ms)
{
	int64_t seconds = (int64_t)((ms + 500) / 1000);

	return seconds < 600 ? seconds : (seconds + 30) / 60 * 60;
}

/* Explain the columns of confidence intervals, and print the number of lines with a significant
 * change. */
static void print_certainty(const struct pp_report *report)
{
	const struct pp_diff_facts *facts = report->profile->diff;
	const double percent = report->options->certainty;

	fprintf(report->out, "Changes are between \"from\" and \"to\" with %g %% certainty\n", percent);
	for (size_t c = 0; c < report->profile->nr_classes; c++) {
		if (facts->classes[c].period == 1)
			continue;
		fputs("Counts before of ", report->out);
		pp_text_print(report->out, report->session->classes.items[c].event, 0, 0);
		fprintf(report->out, " are multiplied by %.4g: the periods of the event differ\n",
			facts->classes[c].period);
	}
	if (facts->nr_runs_before > 1 || facts->nr_runs_after > 1)
		fprintf(report->out, "%s: %zu before, %zu after\n",
			report->session->range || report->before->session->range ? "Periods" : "Runs",
			facts->nr_runs_before ? facts->nr_runs_before : 1,
			facts->nr_runs_after ? facts->nr_runs_after : 1);
	if (facts->nr_lines)
		fprintf(report->out,
			"Significant changes: %zu of %zu lines; equal profiles would have up to "
			"%.3g on average\n",
			facts->nr_lines - facts->nr_hidden, facts->nr_lines,
			(double)facts->nr_lines * (100 - percent) / 100);
}

/* Print the factor by which counts of the first profile are multiplied, because the profiles have
 * different sampling times. */
static void print_scale(FILE *out, const struct pp_before *before)
{
	char first[OP_DURATION_TEXT_SIZE], second[OP_DURATION_TEXT_SIZE];

	fprintf(out, "Counts before are multiplied by %.4g: %s were sampled before, %s after\n",
		(double)before->time_after / (double)before->time_before,
		op_duration_text(first, rounded_time(before->time_before)),
		op_duration_text(second, rounded_time(before->time_after)));
}

int pp_text_header(const struct pp_report *report)
{
	const struct pp_classes *classes = &report->session->classes;
	int err;

	if (!report->options->show_header)
		return 0;
	print_cpu(report);
	print_events(report);
	if (report->before)
		print_side(report, "Before", report->before->session, report->before->profile,
			   report->profile->totals + 2 * report->profile->nr_classes);
	print_side(report, report->before ? "After" : NULL, report->session, report->profile,
		   report->profile->totals);
	if (report->before && report->before->time_before)
		print_scale(report->out, report->before);
	else if (report->before && report->before->is_scaled)
		fputs("Counts before are scaled to the total after\n", report->out);
	if (report->before)
		print_certainty(report);
	err = print_binaries(report, PP_IMAGE_CHANGED, "Not the binaries that were profiled");
	if (!err)
		err = print_binaries(report, PP_IMAGE_MISSING, "Not found, or not readable");
	if (!err && report->images && !report->before)
		err = pp_unnamed_report(report->profile, report->command,
				      report->images->debuginfod != NULL, report->out);
	if (err)
		return err;
	print_late_interrupts(report);
	print_axis(report->out, classes);
	return 0;
}
