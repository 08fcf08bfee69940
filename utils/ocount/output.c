// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output.c -- output of counts as text, as lines for programs, or as JSON.
 *
 * Both texts are those of OProfile 1.x's ocount, which scripts read.
 */
#include "config.h"
#include "utils/ocount/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/json.h"

#define NAME_GAP	8	/* number of columns between the longest name and the counts */
#define ID_WIDTH	10
#define COUNT_WIDTH	25

#define NS_PER_S	((uint64_t)1000000000)

/*
 * Return the number of rows to print: all rows of count_set_read(), or only the sum if the user has
 * not requested a row for each thread or CPU.
 */
static size_t nr_rows(const struct count_dump *d)
{
	return d->options->separate ? d->set->nr_rows : 1;
}

static struct count_value value_of(const struct count_dump *d, size_t row, size_t event)
{
	size_t nr = d->set->events->nr;
	struct count_value sum = { 0 };

	if (d->options->separate)
		return d->values[row * nr + event];
	for (row = 0; row < d->set->nr_rows; row++) {
		const struct count_value *v = &d->values[row * nr + event];

		sum.count += v->count;
		sum.enabled += v->enabled;
		sum.running += v->running;
	}
	return sum;
}

/* Return the count of an event. If its counter ran only a part of the time, because events shared
 * the counters, return an estimate for the whole time. */
static uint64_t scaled(const struct count_value *v)
{
	if (!v->running || v->running >= v->enabled)
		return v->count;
	return (uint64_t)((double)v->count * (double)v->enabled / (double)v->running + 0.5);
}

/*
 * Return for how many percent of the time the event was counted. Return 100 if the thread slept
 * during the whole span.
 */
static double percent(const struct count_value *v)
{
	return v->enabled ? 100.0 * (double)v->running / (double)v->enabled : 100;
}

static bool is_counted(const struct count_value *v)
{
	return v->running || !v->enabled;
}

static bool is_scaled(const struct count_dump *d)
{
	for (size_t row = 0; row < nr_rows(d); row++) {
		for (size_t e = 0; e < d->set->events->nr; e++) {
			struct count_value v = value_of(d, row, e);

			if (v.running && v.running < v.enabled)
				return true;
		}
	}
	return false;
}

/* Print a time such as "3.2 seconds", "412 nanoseconds" or "2 minutes and 5 seconds". */
static void print_time(FILE *out, uint64_t ns)
{
	uint64_t s = ns / NS_PER_S;

	if (!s)
		fprintf(out, "%" PRIu64 " nanoseconds", ns);
	else if (s < 60)
		fprintf(out, "%" PRIu64 ".%" PRIu64 " seconds", s, ns % NS_PER_S / (NS_PER_S / 10));
	else
		fprintf(out, "%" PRIu64 " minutes and %" PRIu64 " seconds", s / 60, s % 60);
}

/* Write a number with separators, such as 1,234,567. */
static const char *grouped(uint64_t n, char *text, size_t size)
{
	char *p = text + size - 1;

	*p = '\0';
	for (unsigned int i = 0; i == 0 || n; i++, n /= 10) {
		if (i && i % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
	}
	return p;
}

static void print_timestamp(FILE *out, const struct count_dump *d, const char *before)
{
	fprintf(out, "\n%s%jd.%09ld\n", before, (intmax_t)d->end.tv_sec, d->end.tv_nsec);
}

static void print_head(FILE *out, const struct count_dump *d)
{
	static const char *const whats[] = {
		[COUNT_PROCESSES] = "the specified process(es)", [COUNT_THREADS] = "the specified thread(s)",
		[COUNT_CPUS] = "the specified CPU(s)", [COUNT_SYSTEM] = "the whole system",
	};

	if (d->options->interval_ms) {
		print_timestamp(out, d, "Current time (seconds since epoch): ");
	} else {
		fputs("\nEvents were actively counted for ", out);
		print_time(out, d->ns);
		fputs(".\n", out);
	}
	fprintf(out, "Event counts (%s) for ", is_scaled(d) ? "scaled" : "actual");
	if (d->options->what == COUNT_COMMAND)
		op_put_clean(out, d->command, strlen(d->command));
	else
		fputs(whats[d->options->what], out);
	fputs(":\n", out);
}

static void print_text(FILE *out, const struct count_dump *d)
{
	const struct count_events *events = d->set->events;
	int width = 0;

	for (size_t e = 0; e < events->nr; e++)
		if ((int)strlen(events->list[e].name) > width)
			width = (int)strlen(events->list[e].name);
	width += NAME_GAP;
	print_head(out, d);
	fprintf(out, "\t%-*s", width, "Event");
	if (d->options->separate)
		fprintf(out, "%-*s", ID_WIDTH, d->set->by_cpu ? "CPU" : "Task ID");
	fprintf(out, "%-*s%s\n", COUNT_WIDTH, "Count", "% time counted");
	for (size_t e = 0; e < events->nr; e++) {
		for (size_t row = 0; row < nr_rows(d); row++) {
			struct count_value v = value_of(d, row, e);
			char text[32];

			fprintf(out, "\t%-*s", width, events->list[e].name);
			if (d->options->separate)
				fprintf(out, "%-*d", ID_WIDTH, d->set->ids[row]);
			if (is_counted(&v))
				fprintf(out, "%-*s%.2f\n", COUNT_WIDTH, grouped(scaled(&v), text, sizeof(text)),
					percent(&v));
			else
				fputs("Event not counted\n", out);
		}
	}
}

static void print_brief(FILE *out, const struct count_dump *d)
{
	if (d->options->interval_ms)
		print_timestamp(out, d, "timestamp,");
	else
		fputc('\n', out);
	for (size_t e = 0; e < d->set->events->nr; e++) {
		for (size_t row = 0; row < nr_rows(d); row++) {
			struct count_value v = value_of(d, row, e);

			if (d->options->separate)
				fprintf(out, "%d,", d->set->ids[row]);
			fprintf(out, "%s,%" PRIu64 ",%.2f\n", d->set->events->list[e].name, scaled(&v), percent(&v));
		}
	}
}

static void print_json_count(struct op_json *json, const struct count_dump *d, size_t row, size_t e)
{
	const struct count_event *event = &d->set->events->list[e];
	struct count_value v = value_of(d, row, e);

	op_json_begin(json, '{');
	op_json_add_string(json, "event", event->name);
	if (d->options->separate) {
		op_json_key(json, d->set->by_cpu ? "cpu" : "tid");
		op_json_int(json, d->set->ids[row]);
	}
	op_json_key(json, "count");
	if (is_counted(&v))
		op_json_uint(json, scaled(&v));
	else
		op_json_word(json, "null");
	op_json_add_uint(json, "counted", v.count);
	op_json_add_uint(json, "enabled_ns", v.enabled);
	op_json_add_uint(json, "running_ns", v.running);
	op_json_key(json, "kernel");
	op_json_word(json, event->kernel && !d->set->user_only ? "true" : "false");
	op_json_key(json, "user");
	op_json_word(json, event->user ? "true" : "false");
	op_json_end(json, '}');
}

static void print_json(FILE *out, const struct count_dump *d)
{
	static const char *const whats[] = {
		[COUNT_COMMAND] = "command", [COUNT_PROCESSES] = "processes", [COUNT_THREADS] = "threads",
		[COUNT_CPUS] = "cpus", [COUNT_SYSTEM] = "system",
	};
	struct op_json json;

	/* With several spans, print each on one line, so that a reader sees where each ends. */
	op_json_init(&json, out, d->options->interval_ms ? 0 : 2);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "of", whats[d->options->what]);
	if (d->options->what == COUNT_COMMAND)
		op_json_add_string(&json, "command", d->command);
	op_json_add_uint(&json, "end_ns", (uint64_t)d->end.tv_sec * NS_PER_S + (uint64_t)d->end.tv_nsec);
	op_json_add_uint(&json, "ns", d->ns);
	op_json_key(&json, "counts");
	op_json_begin(&json, '[');
	for (size_t e = 0; e < d->set->events->nr; e++)
		for (size_t row = 0; row < nr_rows(d); row++)
			print_json_count(&json, d, row, e);
	op_json_end(&json, ']');
	op_json_end(&json, '}');
}

int count_print(FILE *out, const struct count_dump *dump)
{
	static void (*const formats[])(FILE *, const struct count_dump *) = {
		[COUNT_TEXT] = print_text, [COUNT_BRIEF] = print_brief, [COUNT_JSON] = print_json,
	};

	formats[dump->options->format](out, dump);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
