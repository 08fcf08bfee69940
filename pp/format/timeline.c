// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c -- the samples of each interval as bars of text, as CSV or as JSON
 * (doc/formats.md). */
#include "config.h"
#include "pp/format/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "intervals/interval.h"
#include "libop/base/clean.h"
#include "libop/base/json.h"
#include "libop/base/plural.h"
#include "pp/format/csv.h"
#include "pp/format/facts.h"
#include "pp/format/text.h"
#include "pp/session/range.h"

#define NANO		1000000000ll
#define MAX_LETTERS	5	/* number of images or symbols with a letter of their own */
/* letter that stands for all images or symbols without a letter of their own */
#define OTHERS		'.'
#define COLUMNS		80	/* width of the text if the output is not a terminal */
#define MIN_BAR		10
#define LENGTH_SIZE	32
#define LABEL_SIZE	256

/* The text of a time line: a table for each event. */
struct text {
	const struct pp_timeline *timeline;
	FILE *out;
	size_t event;			/* index of the event that the current table shows */
	size_t nr_letters;
	/* for each image or symbol, by the number of its name: index of its letter, from 0 to
	 * .nr_letters */
	uint32_t *letter_of;
	/* samples per second in the busiest interval, which determine the scale of the bars */
	double highest;
	bool has_seconds;		/* the table has times that need seconds */
	bool has_zones;			/* the table has times in different time zones */
	char zone[16];			/* time zone of the first time that the table prints */
	int time_width, bar_width;
};

/* Write the name of an event as in other reports: NAME:COUNT or NAME:COUNT:0xUNITMASK. */
static const char *event_label(char buf[LABEL_SIZE], const struct pp_timeline_event *event)
{
	char um[16] = "";

	if (event->um)
		snprintf(um, sizeof(um), ":0x%02" PRIx32, event->um);
	snprintf(buf, LABEL_SIZE, "%s:%" PRIu64 "%s", event->name, event->count, um);
	return buf;
}

static bool local_time(struct tm *ret, int64_t time)
{
	time_t t = (time_t)time;

	return localtime_r(&t, ret);
}

/* Write the local time at which a row's interval begins. */
static void put_time(const struct text *text, int64_t time)
{
	char buf[64] = "?";
	struct tm tm;

	if (local_time(&tm, time))
		strftime(buf, sizeof(buf), text->has_seconds ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M",
			 &tm);
	fprintf(text->out, "%s", buf);
	if (text->has_zones && local_time(&tm, time))
		fprintf(text->out, " %-5s", tm.tm_zone);
}

/* Return a length of time in the largest unit that shows two digits, such as "90 s" or "10 min". */
static const char *length_text(char buf[LENGTH_SIZE], int64_t seconds)
{
	static const struct {
		int64_t from, unit;
		const char *name;
	} units[] = {
		{ 2 * 86400, 86400, "days" }, { 2 * 3600, 3600, "h" }, { 120, 60, "min" },
		{ 0, 1, "s" },
	};
	size_t i = 0;

	if (seconds >= 3600 - 1 && seconds <= 3600 + 1)
		return "1 h";
	if (seconds >= 86400 - 1 && seconds <= 86400 + 1)
		return "1 day";
	while (seconds < units[i].from)
		i++;
	snprintf(buf, LENGTH_SIZE, "%lld %s",
		 (long long)((seconds + units[i].unit / 2) / units[i].unit), units[i].name);
	return buf;
}

/* Return the number of samples per second of the table's event in the row's interval. */
static double rate_of(const struct text *text, const struct pp_timeline_row *row)
{
	return (double)pp_timeline_samples(text->timeline, row, text->event) / (double)row->covered;
}

/* Update .has_seconds and .has_zones for @time, which will be printed. */
static void note_time(struct text *text, int64_t time, bool is_first)
{
	struct tm tm;

	if (!local_time(&tm, time))
		return;
	text->has_seconds |= tm.tm_sec != 0;
	if (is_first) {
		snprintf(text->zone, sizeof(text->zone), "%s", tm.tm_zone);
	} else if (strcmp(text->zone, tm.tm_zone)) {
		text->has_zones = true;
	}
}

/* Choose the widths of the columns, which are the same in the tables of all events. */
static void lay_out(struct text *text, int columns)
{
	const struct pp_timeline *t = text->timeline;

	for (size_t i = 0; i < t->nr_rows; i++)
		note_time(text, t->rows[i].begin, !i);
	for (size_t i = 0; i < t->range->time.nr_gaps; i++)
		if (t->range->time.gaps[i].from_ns)
			note_time(text, t->range->time.gaps[i].from_ns / NANO, false);
	text->time_width = (text->has_seconds ? 19 : 16) + (text->has_zones ? 6 : 0);
	text->bar_width = (columns ? columns : COLUMNS) - text->time_width - 2 - 7 - 2 - 10 - 2;
	if (text->bar_width < MIN_BAR)
		text->bar_width = MIN_BAR;
}

/* Choose the letters and the scale of an event's table. */
static void begin_table(struct text *text, size_t event)
{
	const struct pp_timeline *t = text->timeline;

	text->event = event;
	text->highest = 0;
	text->nr_letters = t->nr_names < MAX_LETTERS ? t->nr_names : MAX_LETTERS;
	for (size_t i = 0; i < t->nr_names; i++)
		text->letter_of[t->events[event].busiest[i]] =
			(uint32_t)(i < text->nr_letters ? i : text->nr_letters);
	for (size_t i = 0; i < t->nr_rows; i++)
		if (rate_of(text, &t->rows[i]) > text->highest)
			text->highest = rate_of(text, &t->rows[i]);
}

static void put_legend_line(const struct text *text, char letter, uint64_t samples)
{
	fprintf(text->out, "  %c %5.1f%%  ", letter,
		100.0 * (double)samples / (double)text->timeline->events[text->event].samples);
}

/* Write the name that each letter stands for. */
static void put_legend(const struct text *text)
{
	const struct pp_timeline *t = text->timeline;
	const struct pp_timeline_event *event = &t->events[text->event];
	uint64_t rest = event->samples;
	char label[LABEL_SIZE];

	fprintf(text->out, "%" PRIu64 " %s of ", event->samples,
		op_plural(event->samples, "sample", "samples"));
	pp_text_print(text->out, event_label(label, event), 0, 0);
	fputs(":\n", text->out);
	for (size_t i = 0; i < text->nr_letters; i++) {
		const struct pp_timeline_name *name = &t->names[event->busiest[i]];
		uint64_t samples = event->of_names[event->busiest[i]];

		if (!samples)
			continue;
		put_legend_line(text, (char)('A' + i), samples);
		if (name->symbol) {
			pp_text_print(text->out, name->symbol, 0, 0);
			fputs("  ", text->out);
		}
		pp_text_print(text->out, name->image, 0, 0);
		putc('\n', text->out);
		rest -= samples;
	}
	if (rest) {
		put_legend_line(text, OTHERS, rest);
		fputs("others\n", text->out);
	}
}

static void put_heads(const struct text *text)
{
	char highest[64], begin[64];
	int width = snprintf(highest, sizeof(highest), "%.4g samples/s", text->highest);

	if (text->has_zones)
		strcpy(begin, "begin");
	else
		snprintf(begin, sizeof(begin), "begin (%s)", text->zone);
	fprintf(text->out, "\n%-*s  %-7s  %10s  0%*s\n", text->time_width, begin, "length", "samples",
		text->bar_width - 1 > width ? text->bar_width - 1 : width + 1, highest);
}

/* Write a row's bar. Each letter fills a part of the bar in proportion to the samples of its image
 * or symbol. */
static void put_bar(const struct text *text, const struct pp_timeline_row *row)
{
	const struct pp_timeline *t = text->timeline;
	uint64_t samples[MAX_LETTERS + 1] = { 0 }, all = pp_timeline_samples(t, row, text->event);
	double sum = 0, length = text->bar_width * rate_of(text, row) / text->highest;
	int done = 0;

	if (length < 1)
		length = 1;
	for (size_t i = row->first; i < row->first + row->nr; i++)
		if (t->counts[i].event == text->event)
			samples[text->letter_of[t->counts[i].name]] += t->counts[i].samples;
	for (size_t i = 0; i <= text->nr_letters; i++) {
		int end;

		sum += (double)samples[i];
		end = (int)(length * sum / (double)all + .5);
		for (; done < end; done++)
			putc(i < text->nr_letters ? (int)('A' + i) : OTHERS, text->out);
	}
}

static void put_row(const struct text *text, const struct pp_timeline_row *row)
{
	uint64_t samples = pp_timeline_samples(text->timeline, row, text->event);
	char length[LENGTH_SIZE];

	put_time(text, row->begin);
	fprintf(text->out, "  %-7s  %10" PRIu64, length_text(length, row->end - row->begin),
		samples);
	if (samples) {
		fputs("  ", text->out);
		put_bar(text, row);
	}
	putc('\n', text->out);
}

/* Write a line for a gap. @is_inside: the gap is inside the interval of the line above. */
static void put_gap(const struct text *text, const struct itv_gap *gap, bool is_inside)
{
	char length[LENGTH_SIZE];

	put_time(text, gap->from_ns / NANO);
	fprintf(text->out, "  %-7s  %10s  (", length_text(length, (gap->to_ns - gap->from_ns) / NANO),
		"-");
	pp_text_print(text->out, gap->reason, 0, 0);
	fputs(is_inside ? ", in the interval above)\n" : ")\n", text->out);
}

/* Write the rows of an event's table, and lines for the gaps between the rows' intervals. */
static void put_rows(const struct text *text)
{
	const struct pp_timeline *t = text->timeline;
	const struct itv_range *time = &t->range->time;
	int64_t end = INT64_MIN;	/* end of the interval in the last row that was written */
	size_t gap = 0;

	for (size_t i = 0; i <= t->nr_rows; i++) {
		for (; gap < time->nr_gaps; gap++) {
			int64_t from = time->gaps[gap].from_ns / NANO;

			if (i < t->nr_rows && from >= t->rows[i].begin)
				break;
			/* A gap that begins at time 0 is not reported: it only means that the
			 * requested period has no beginning. */
			if (from)
				put_gap(text, &time->gaps[gap], from < end);
		}
		if (i == t->nr_rows)
			break;
		put_row(text, &t->rows[i]);
		if (t->rows[i].end > end)
			end = t->rows[i].end;
	}
}

static int write_text(const struct pp_timeline *t, const struct pp_format_options *options,
		      FILE *out)
{
	struct text text = {
		.timeline = t, .out = out,
		.letter_of = calloc(t->nr_names, sizeof(*text.letter_of)),
	};

	if (!text.letter_of)
		return -ENOMEM;
	lay_out(&text, options->columns);
	if (options->show_header)
		pp_text_range(out, t->range);
	for (size_t event = 0; event < t->nr_events; event++) {
		begin_table(&text, event);
		if (event)
			putc('\n', out);
		if (options->show_header) {
			put_legend(&text);
			put_heads(&text);
		}
		put_rows(&text);
	}
	free(text.letter_of);
	return 0;
}

/* Return the event's count for an image or symbol. *@at: index into the row's counts; it is
 * advanced past the returned count. */
static uint64_t next_count(const struct pp_timeline *t, const struct pp_timeline_row *row,
			   uint32_t name, size_t event, size_t *at)
{
	const struct pp_timeline_count *count = &t->counts[*at];

	if (*at >= row->first + row->nr || count->name != name || count->event != event)
		return 0;
	++*at;
	return count->samples;
}

static void put_csv_time(FILE *out, int64_t time)
{
	time_t t = (time_t)time;
	char buf[64] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(out, "%s,", buf);
}

/* Write the beginning of a CSV row, up to the column "seconds". */
static void begin_csv_row(FILE *out, const char *kind, int64_t begin, int64_t end)
{
	fprintf(out, "%s,", kind);
	put_csv_time(out, begin);
	put_csv_time(out, end);
	fprintf(out, "%" PRId64 ",", end - begin);
}

/* Write the rows of an interval: a row with its samples, then a row for each image or symbol. Each
 * event has a column. */
static void write_csv_row(const struct pp_timeline *t, const struct pp_timeline_row *row, FILE *out)
{
	size_t at = row->first;

	begin_csv_row(out, pp_facts_step(row->step), row->begin, row->end);
	fputs(",,", out);
	for (size_t e = 0; e < t->nr_events; e++)
		fprintf(out, "%" PRIu64 ",", pp_timeline_samples(t, row, e));
	fputs("\r\n", out);
	while (at < row->first + row->nr) {
		const uint32_t index = t->counts[at].name;
		const struct pp_timeline_name *name = &t->names[index];

		begin_csv_row(out, name->symbol ? "symbol" : "image", row->begin, row->end);
		pp_csv_text(out, name->image);
		putc(',', out);
		if (name->symbol)
			pp_csv_text(out, name->symbol);
		putc(',', out);
		for (size_t e = 0; e < t->nr_events; e++)
			fprintf(out, "%" PRIu64 ",", next_count(t, row, index, e, &at));
		fputs("\r\n", out);
	}
}

static void write_csv_header(const struct pp_timeline *t, FILE *out)
{
	char label[LABEL_SIZE];

	fputs("kind,begin,end,seconds,image,symbol,", out);
	for (size_t e = 0; e < t->nr_events; e++) {
		if (t->nr_events == 1)
			fputs("samples", out);
		else
			pp_csv_text(out, event_label(label, &t->events[e]));
		putc(',', out);
	}
	fputs("reason\r\n", out);
}

static int write_csv(const struct pp_timeline *t, const struct pp_format_options *options,
		     FILE *out)
{
	if (options->show_header)
		write_csv_header(t, out);
	for (size_t i = 0; i < t->nr_rows; i++)
		write_csv_row(t, &t->rows[i], out);
	for (size_t i = 0; i < t->range->time.nr_gaps; i++) {
		const struct itv_gap *gap = &t->range->time.gaps[i];

		if (!gap->from_ns)
			continue;
		begin_csv_row(out, "gap", gap->from_ns / NANO, gap->to_ns / NANO);
		putc(',', out);
		for (size_t e = 0; e <= t->nr_events; e++)
			putc(',', out);
		pp_csv_text(out, gap->reason);
		fputs("\r\n", out);
	}
	return 0;
}

static void add_int(struct op_json *json, const char *key, int64_t n)
{
	op_json_key(json, key);
	op_json_int(json, n);
}

static void add_json_row(struct op_json *json, const struct pp_timeline *t,
			 const struct pp_timeline_row *row)
{
	size_t at = row->first;

	op_json_begin(json, '{');
	add_int(json, "begin", row->begin);
	add_int(json, "end", row->end);
	add_int(json, "covered", row->covered);
	op_json_add_string(json, "step", pp_facts_step(row->step));
	op_json_begin_key(json, "samples", '[');
	for (size_t e = 0; e < t->nr_events; e++)
		op_json_uint(json, pp_timeline_samples(t, row, e));
	op_json_end(json, ']');
	op_json_begin_key(json, "counts", '[');
	while (at < row->first + row->nr) {
		const uint32_t name = t->counts[at].name;

		op_json_begin(json, '[');
		op_json_uint(json, name);
		for (size_t e = 0; e < t->nr_events; e++)
			op_json_uint(json, next_count(t, row, name, e, &at));
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static void add_json_events(struct op_json *json, const struct pp_timeline *t)
{
	op_json_begin_key(json, "events", '[');
	for (size_t e = 0; e < t->nr_events; e++) {
		op_json_begin(json, '{');
		op_json_add_string(json, "name", t->events[e].name);
		op_json_add_uint(json, "count", t->events[e].count);
		op_json_add_uint(json, "unit_mask", t->events[e].um);
		op_json_add_uint(json, "samples", t->events[e].samples);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
}

static int write_json(const struct pp_timeline *t, const char *command, FILE *out)
{
	struct op_json json;

	op_json_init(&json, out, 2);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "format", "oprofile-timeline");
	op_json_add_uint(&json, "version", 2);
	op_json_add_string(&json, "command", command);
	pp_facts_json_range(&json, t->range);
	add_json_events(&json, t);
	op_json_begin_key(&json, "names", '[');
	for (size_t i = 0; i < t->nr_names; i++) {
		op_json_begin(&json, '{');
		op_json_add_string(&json, "image", t->names[i].image);
		if (t->names[i].symbol)
			op_json_add_string(&json, "symbol", t->names[i].symbol);
		op_json_begin_key(&json, "samples", '[');
		for (size_t e = 0; e < t->nr_events; e++)
			op_json_uint(&json, t->events[e].of_names[i]);
		op_json_end(&json, ']');
		op_json_end(&json, '}');
	}
	op_json_end(&json, ']');
	op_json_begin_key(&json, "intervals", '[');
	for (size_t i = 0; i < t->nr_rows; i++)
		add_json_row(&json, t, &t->rows[i]);
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	return 0;
}

int pp_timeline_write(const struct pp_timeline *timeline, const struct pp_format_ops *ops,
		      const struct pp_format_options *options, const char *command, FILE *out)
{
	if (ops == &pp_format_csv)
		return write_csv(timeline, options, out);
	if (ops == &pp_format_json)
		return write_json(timeline, command, out);
	return write_text(timeline, options, out);
}
