// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output.c -- prints counts as text for humans, as lines for programs, or as JSON. Both text
 * formats equal those of OProfile 1.x's ocount, which scripts parse.
 */
#include "config.h"
#include "utils/ocount/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/json.h"
#include "libop/event/any_cpu.h"

#define NAME_GAP	8	/* number of columns between the longest name and the counts */
#define ID_WIDTH	10
#define COUNT_WIDTH	25
#define DEVIATION_WIDTH	12

#define NS_PER_S	((uint64_t)1000000000)

/*
 * Return the number of rows to print: all rows of count_set_read() if the user requested a row for
 * each thread or CPU, otherwise 1 for their sum.
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

void count_spread_add(struct count_spread *s, double value)
{
	const double from_mean = value - s->mean;

	s->nr++;
	s->mean += from_mean / (double)s->nr;
	s->squares += from_mean * (value - s->mean);
}

double count_spread_deviation(const struct count_spread *s)
{
	return s->nr > 1 && s->mean > 0 ? sqrt(s->squares / (double)(s->nr - 1)) / s->mean : 0;
}

uint64_t count_scaled(const struct count_value *v)
{
	if (!v->running || v->running >= v->enabled)
		return v->count;
	return (uint64_t)((double)v->count * (double)v->enabled / (double)v->running + 0.5);
}

/*
 * Return how many percent of its enabled time the event was counted. Return 100 if the thread slept
 * during the whole interval.
 */
static double percent(const struct count_value *v)
{
	return v->enabled ? 100.0 * (double)v->running / (double)v->enabled : 100;
}

/* Return the number to print for @v: the count or, after several runs, the rounded mean. */
static uint64_t count_of(const struct count_dump *d, const struct count_value *v)
{
	const uint64_t nr = d->nr_runs > 1 ? d->nr_runs : 1;

	return (count_scaled(v) + nr / 2) / nr;
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

/* Format a number with thousands separators, such as 1,234,567. */
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
	if (d->nr_runs > 1)
		fprintf(out, ", mean of %lu runs", d->nr_runs);
	fputs(":\n", out);
}

/* A ratio of two events, such as instructions per cycle. Each event may have several names: the
 * name in perf, and names in the event tables of CPUs. */
struct ratio {
	/* .above: possible names of the numerator event; .below: of the denominator event */
	const char *above[4], *below[4];
	/* .name: name of the ratio in text; .key: name in JSON */
	const char *name, *key;
	bool percent;				/* whether to print the ratio in percent in text */
};

static const struct ratio ratios[] = {
	{ { "instructions", "INST_RETIRED", "RETIRED_INSTRUCTIONS" },
	  { "cpu-cycles", "CPU_CLK_UNHALTED", "CPU_CYCLES" },
	  "instructions per cycle", "instructions_per_cycle", false },
	{ { "branch-misses", "BR_MISP_RETIRED", "BR_MISS_PRED_RETIRED",
	    "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS" },
	  { "branch-instructions", "BR_INST_RETIRED", "RETIRED_BRANCH_INSTRUCTIONS" },
	  "branch misses per branch", "misses_per_branch", true },
	{ { "cache-misses", "LLC_MISSES" }, { "cache-references", "LLC_REFS" },
	  "cache misses per cache reference", "misses_per_cache_reference", true },
};

static bool is_named(const char *event, const char *const names[4])
{
	const size_t len = strcspn(event, ":");

	for (size_t i = 0; i < 4 && names[i]; i++) {
		const struct op_perf_name *perf = op_perf_name_find(names[i]);

		if ((!strncmp(event, names[i], len) && !names[i][len]) ||
		    (perf && perf->other && !strncmp(event, perf->other, len) && !perf->other[len]))
			return true;
	}
	return false;
}

/*
 * Look up the two events of @ratio, and compute the ratio in row @row. Return false if the events
 * were not both counted, or not in the same modes (user, kernel). Otherwise store the ratio in
 * *@quotient.
 */
static bool find_ratio(const struct count_dump *d, const struct ratio *ratio, size_t row,
		       double *quotient)
{
	const struct count_events *events = d->set->events;

	for (size_t a = 0; a < events->nr; a++) {
		const char *above = events->list[a].name;

		for (size_t b = 0; b < events->nr && is_named(above, ratio->above); b++) {
			const char *below = events->list[b].name;
			struct count_value up = value_of(d, row, a), down = value_of(d, row, b);

			if (!is_named(below, ratio->below) ||
			    strcmp(above + strcspn(above, ":"), below + strcspn(below, ":")) ||
			    !is_counted(&up) || !is_counted(&down) || !count_scaled(&down))
				continue;
			*quotient = (double)count_scaled(&up) / (double)count_scaled(&down);
			return true;
		}
	}
	return false;
}

/* Return the average number of CPUs that the command used, or a negative number if the command's
 * CPU time is unknown. */
static double cpus_used(const struct count_dump *d)
{
	return d->has_times && d->ns ? (double)(d->user_ns + d->kernel_ns) / (double)d->ns : -1;
}

/* Print the run times of a command, and the ratios of events, one per line. */
static void print_derived(FILE *out, const struct count_dump *d)
{
	double quotient;

	if (d->has_times) {
		fprintf(out, "\nElapsed: %.6f s", (double)d->ns / NS_PER_S);
		if (d->nr_runs > 1)
			fprintf(out, " (deviation %.2f %%)", 100 * count_spread_deviation(d->spread_ns));
		fprintf(out, "; user code: %.6f s; kernel: %.6f s; CPUs used: %.2f\n",
			(double)d->user_ns / NS_PER_S, (double)d->kernel_ns / NS_PER_S,
			cpus_used(d) < 0 ? 0 : cpus_used(d));
	}
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		for (size_t row = 0; row < nr_rows(d); row++) {
			if (!find_ratio(d, &ratios[i], row, &quotient))
				continue;
			fprintf(out, "%s", ratios[i].name);
			if (d->options->separate)
				fprintf(out, ", %s %d", d->set->by_cpu ? "CPU" : "task",
					d->set->ids[row]);
			if (ratios[i].percent)
				fprintf(out, ": %.2f %%\n", 100 * quotient);
			else
				fprintf(out, ": %.2f\n", quotient);
		}
	}
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
	fprintf(out, "%-*s", COUNT_WIDTH, "Count");
	if (d->nr_runs > 1)
		fprintf(out, "%-*s", DEVIATION_WIDTH, "Deviation");
	fputs("% time counted\n", out);
	for (size_t e = 0; e < events->nr; e++) {
		for (size_t row = 0; row < nr_rows(d); row++) {
			struct count_value v = value_of(d, row, e);
			char text[32];

			fprintf(out, "\t%-*s", width, events->list[e].name);
			if (d->options->separate)
				fprintf(out, "%-*d", ID_WIDTH, d->set->ids[row]);
			if (!is_counted(&v)) {
				fputs("Event not counted\n", out);
				continue;
			}
			fprintf(out, "%-*s", COUNT_WIDTH, grouped(count_of(d, &v), text, sizeof(text)));
			if (d->nr_runs > 1) {
				snprintf(text, sizeof(text), "%.2f %%",
					 100 * count_spread_deviation(&d->spreads[e]));
				fprintf(out, "%-*s", DEVIATION_WIDTH, text);
			}
			fprintf(out, "%.2f\n", percent(&v));
		}
	}
	print_derived(out, d);
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
			fprintf(out, "%s,%" PRIu64 ",%.2f\n", d->set->events->list[e].name, count_of(d, &v), percent(&v));
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
		op_json_uint(json, count_of(d, &v));
	else
		op_json_word(json, "null");
	if (d->nr_runs > 1) {
		op_json_key(json, "deviation");
		op_json_double(json, count_spread_deviation(&d->spreads[e]));
	}
	op_json_add_uint(json, "counted", v.count);
	op_json_add_uint(json, "enabled_ns", v.enabled);
	op_json_add_uint(json, "running_ns", v.running);
	op_json_key(json, "kernel");
	op_json_word(json, event->kernel && !d->set->user_only ? "true" : "false");
	op_json_key(json, "user");
	op_json_word(json, event->user ? "true" : "false");
	op_json_end(json, '}');
}

static void print_json_ratios(struct op_json *json, const struct count_dump *d)
{
	double quotient;

	op_json_key(json, "ratios");
	op_json_begin(json, '[');
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		for (size_t row = 0; row < nr_rows(d); row++) {
			if (!find_ratio(d, &ratios[i], row, &quotient))
				continue;
			op_json_begin(json, '{');
			op_json_add_string(json, "ratio", ratios[i].key);
			if (d->options->separate) {
				op_json_key(json, d->set->by_cpu ? "cpu" : "tid");
				op_json_int(json, d->set->ids[row]);
			}
			op_json_key(json, "value");
			op_json_double(json, quotient);
			op_json_end(json, '}');
		}
	}
	op_json_end(json, ']');
}

static void print_json(FILE *out, const struct count_dump *d)
{
	static const char *const whats[] = {
		[COUNT_COMMAND] = "command", [COUNT_PROCESSES] = "processes", [COUNT_THREADS] = "threads",
		[COUNT_CPUS] = "cpus", [COUNT_SYSTEM] = "system",
	};
	struct op_json json;

	/* With measuring intervals, print one JSON object per line, so that a reader can split the
	 * output. */
	op_json_init(&json, out, d->options->interval_ms ? 0 : 2);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "of", whats[d->options->what]);
	if (d->options->what == COUNT_COMMAND)
		op_json_add_string(&json, "command", d->command);
	op_json_add_uint(&json, "end_ns", (uint64_t)d->end.tv_sec * NS_PER_S + (uint64_t)d->end.tv_nsec);
	op_json_add_uint(&json, "ns", d->ns);
	if (d->has_times) {
		op_json_add_uint(&json, "user_ns", d->user_ns);
		op_json_add_uint(&json, "kernel_ns", d->kernel_ns);
	}
	if (d->options->nr_runs > 1)
		op_json_add_uint(&json, "runs", d->nr_runs);
	if (d->nr_runs > 1) {
		op_json_key(&json, "ns_deviation");
		op_json_double(&json, count_spread_deviation(d->spread_ns));
	}
	op_json_key(&json, "counts");
	op_json_begin(&json, '[');
	for (size_t e = 0; e < d->set->events->nr; e++)
		for (size_t row = 0; row < nr_rows(d); row++)
			print_json_count(&json, d, row, e);
	op_json_end(&json, ']');
	print_json_ratios(&json, d);
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
