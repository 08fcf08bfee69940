// SPDX-License-Identifier: GPL-2.0-or-later
/* text_columns.c -- columns of symbol tables, and the text of their cells. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/clip.h"
#include "pp/format/percent.h"
#include "pp/format/walk.h"
#include "pp/join/certainty.h"
#include "pp/profile/short_titles.h"
#include "pp/session/tasks.h"

const char *pp_text_title(const struct pp_report *report, const char *title)
{
	return report->options->long_filenames ? title :
						pp_short_title(report->profile, title);
}

void pp_text_pad(FILE *out, int n)
{
	static const char blanks[] = "                                ";

	for (; n > 0; n -= (int)sizeof(blanks) - 1)
		fwrite_unlocked(blanks, 1,
				n < (int)sizeof(blanks) - 1 ? n : (int)sizeof(blanks) - 1, out);
}

void pp_text_print(FILE *out, const char *text, int width, int min)
{
	int n = width || min ? op_clean_columns(text) : 0;

	op_put_clean(out, text, strlen(text));
	pp_text_pad(out, width - n > min ? width - n : min);
}

int pp_text_digits(char buf[PP_TEXT_NUMBER], uint64_t n)
{
	int len = 1, i;

	for (uint64_t rest = n; rest >= 10; rest /= 10)
		len++;
	for (i = len; i > 0; n /= 10)
		buf[--i] = '0' + n % 10;
	return len;
}

static int text_number(FILE *out, uint64_t n)
{
	char buf[PP_TEXT_NUMBER];

	return (int)fwrite_unlocked(buf, 1, pp_text_digits(buf, n), out);
}

/* Return whether another class of samples has the same event, so that titles must show unit
 * masks. */
static bool same_event(const struct pp_classes *classes, size_t class)
{
	for (size_t i = 0; i < classes->nr; i++)
		if (i != class && !strcmp(classes->items[i].event, classes->items[class].event) &&
		    classes->items[i].count == classes->items[class].count)
			return true;
	return false;
}

char *pp_text_class_title(const struct pp_session *session, size_t class)
{
	const struct pp_classes *classes = &session->classes;
	const struct pp_class *c = &classes->items[class];
	char *title, *clean;
	int n = -1;

	switch (classes->axis) {
	case PP_AXIS_NONE:
	case PP_AXIS_EVENT:
		if (same_event(classes, class))
			n = asprintf(&title, "%s:%" PRIu64 ":0x%02" PRIx32, c->event, c->count,
				     c->um);
		else
			n = asprintf(&title, "%s:%" PRIu64, c->event, c->count);
		break;
	case PP_AXIS_TGID:
		n = c->tgid == OP_ALL ? asprintf(&title, "tgid:?")
				      : asprintf(&title, "tgid:%d", c->tgid);
		break;
	case PP_AXIS_TID:
		n = c->tid == OP_ALL ? asprintf(&title, "tid:?")
				     : asprintf(&title, "tid:%d", c->tid);
		break;
	case PP_AXIS_CPU:
		n = c->cpu == OP_ALL ? asprintf(&title, "cpu:?")
				     : asprintf(&title, "cpu:%d", c->cpu);
		break;
	case PP_AXIS_SOURCE:
		n = asprintf(&title, "%s", pp_short_name(c->source));
		break;
	}
	if (n < 0)
		return NULL;
	/* The names of events and hosts come from the session. */
	clean = malloc(OP_CLEAN_MAX);
	if (clean)
		op_clean(clean, OP_CLEAN_MAX, title);
	free(title);
	return clean;
}

/* largest change that is printed as a number, in percent */
#define MAX_CHANGE	1e9

const uint64_t *pp_text_diff_counts(const struct pp_report *report, const uint64_t *counts)
{
	return pp_diff_change(report->profile, counts) == PP_DIFF_GONE ?
		       pp_diff_before(report->profile, counts) : counts;
}

void pp_text_change(char buf[PP_TEXT_CHANGE], const struct pp_report *report,
		    const uint64_t *counts, size_t class)
{
	enum pp_diff_change what = pp_diff_change(report->profile, counts);
	uint64_t before = pp_diff_before(report->profile, counts)[class];
	double change = before ? 100.0 * ((double)counts[class] - before) / before : 0;

	if (what == PP_DIFF_GONE)
		strcpy(buf, "---");
	/* A column may have samples only in the second profile, even if the line has samples in
	 * both. */
	else if (what == PP_DIFF_NEW || (!before && counts[class]))
		strcpy(buf, "+++");
	else
		snprintf(buf, PP_TEXT_CHANGE,
			 change && change < 0.001 && change > -0.001 ? "%+.1e" : "%+.4f", change);
}

/* Write a limit of a confidence interval, in percent, so that it fits into its column. */
static void print_limit(char buf[PP_TEXT_CHANGE], double percent)
{
	snprintf(buf, PP_TEXT_CHANGE, percent < 10000 ? "%+.2f" : "%+.0f", percent);
}

void pp_text_interval(char low[PP_TEXT_CHANGE], char high[PP_TEXT_CHANGE],
		      const struct pp_report *report, const uint64_t *counts, size_t class)
{
	const struct pp_profile *diff = report->profile;
	struct pp_interval change;

	if (!pp_change_interval(&change, diff->diff, counts, diff->nr_classes, class, class,
				report->options->certainty)) {
		strcpy(low, diff->diff->classes[class].is_sampled ? "---" : "exact");
		strcpy(high, low);
		return;
	}
	print_limit(low, change.low);
	if (change.high > MAX_CHANGE)
		strcpy(high, "+++");
	else
		print_limit(high, change.high);
}

struct pp_text_column {
	const char *head;
	int width;
	bool per_class;
	bool in_details;		/* lines of sampled addresses also have the column */
	void (*print)(const struct pp_text_line *line, size_t class, int width);
};

static void pad(FILE *out, int printed, int width)
{
	pp_text_pad(out, printed < width ? width - printed : 1);
}

static void print_vma(const struct pp_text_line *line, size_t class, int width)
{
	(void)class;
	pad(line->report->out,
	    fprintf(line->report->out, "%0*" PRIx64, line->table->vma_digits, line->vma), width);
}

static void print_count(const struct pp_text_line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, text_number(out, line->counts[class]), width);
}

static void print_total(const struct pp_text_line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, text_number(out, line->inclusive[class]), width);
}

/* Print the count in the second profile of a differential profile. If only the first profile has
 * the function, print that count. */
static void print_diff_count(const struct pp_text_line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, text_number(out, pp_text_diff_counts(line->report, line->counts)[class]),
	    width);
}

static void print_sum(const struct pp_text_line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, text_number(out, line->sums[class]), width);
}

static void print_share(FILE *out, uint64_t part, uint64_t total, int width)
{
	char percent[PP_PERCENT_SIZE];
	int n = pp_percent(percent, part, total);

	fwrite_unlocked(percent, 1, n, out);
	pad(out, n, width);
}

static void print_percent(const struct pp_text_line *line, size_t class, int width)
{
	print_share(line->report->out, line->counts[class], line->totals[class], width);
}

static void print_total_percent(const struct pp_text_line *line, size_t class, int width)
{
	print_share(line->report->out, line->inclusive[class], line->report->profile->totals[class],
		    width);
}

static void print_sum_percent(const struct pp_text_line *line, size_t class, int width)
{
	print_share(line->report->out, line->sums[class], line->totals[class], width);
}

/* Print the percentage in the second profile of a differential profile. If only the first profile
 * has the function, print no percentage. */
static void print_new_percent(const struct pp_text_line *line, size_t class, int width)
{
	if (pp_diff_change(line->report->profile, line->counts) == PP_DIFF_GONE)
		pad(line->report->out, fprintf(line->report->out, "---"), width);
	else
		print_percent(line, class, width);
}

static void print_change(const struct pp_text_line *line, size_t class, int width)
{
	char change[PP_TEXT_CHANGE];

	pp_text_change(change, line->report, line->counts, class);
	pad(line->report->out, fprintf(line->report->out, "%s", change), width);
}

static void print_low(const struct pp_text_line *line, size_t class, int width)
{
	char low[PP_TEXT_CHANGE], high[PP_TEXT_CHANGE];

	pp_text_interval(low, high, line->report, line->counts, class);
	pad(line->report->out, fprintf(line->report->out, "%s", low), width);
}

static void print_high(const struct pp_text_line *line, size_t class, int width)
{
	char low[PP_TEXT_CHANGE], high[PP_TEXT_CHANGE];

	pp_text_interval(low, high, line->report, line->counts, class);
	pad(line->report->out, fprintf(line->report->out, "%s", high), width);
}

static void print_source(const struct pp_text_line *line, size_t class, int width)
{
	const struct pp_format_options *options = line->report->options;
	FILE *out = line->report->out;
	const char *file = line->file;
	int n = 0;

	(void)class;
	if (!file) {
		fputs("(no location information)", out);
		pad(out, strlen("(no location information)"), width);
		return;
	}
	if (!options->long_filenames)
		file = pp_short_name(file);
	pp_text_print(out, file, 0, 0);
	n = op_clean_columns(file);
	putc(':', out);
	n += 1 + text_number(out, line->line);
	pad(out, n, width);
}

/* text that precedes the address range in the title of anonymous memory */
#define REGION	" range:"

/* Print the title of an image. Omit the address range of anonymous memory if the symbol name
 * contains it. */
static void print_region(const struct pp_text_line *line, const char *title, int width)
{
	const char *range = strstr(title, REGION);
	char cut[64];

	if (!range || range - title > (int)sizeof(cut) - 2) {
		pp_text_print(line->report->out, title, width, 1);
		return;
	}
	snprintf(cut, sizeof(cut), "%.*s)", (int)(range - title), title);
	pp_text_print(line->report->out, cut, width, 1);
}

static void print_title(const struct pp_text_line *line, const char *title, int width)
{
	if (line->code->kind == PP_CODE_IMAGE && title[0] != '/' &&
	    !line->report->options->long_filenames)
		print_region(line, title, width);
	else
		pp_text_print(line->report->out, pp_text_title(line->report, title), width, 1);
}

static void print_image(const struct pp_text_line *line, size_t class, int width)
{
	(void)class;
	print_title(line, line->group->image, width);
}

/* Print the program. If libraries are merged, print the name of an anonymous memory region as the
 * program. */
static void print_app(const struct pp_text_line *line, size_t class, int width)
{
	(void)class;
	print_title(line, line->group->app, width);
}

#define TITLE_WIDTH	25
#define MAX_TASK_WIDTH	60
/* minimum width of a symbol name if the terminal is too narrow for the table */
#define MIN_NAME	24
#define MAX_NAME	1024

/* Return the number of characters by which a title exceeds its cell, which is @own characters
 * wide. */
static int excess(const struct pp_text_line *line, const char *title, int own)
{
	int width = op_clean_columns(pp_text_title(line->report, title)) + 1;

	return width > own ? width - own : 0;
}

static size_t columns_left(const struct pp_text_line *line)
{
	const struct pp_text_table *table = line->table;
	int left = line->report->options->columns - table->name_at - line->indent -
		   (line->suffix ? (int)strlen(line->suffix) : 0);

	if (table->has_images)
		left -= excess(line, line->group->image, TITLE_WIDTH);
	if (table->has_apps)
		left -= excess(line, line->group->app, table->app_width);
	return left < MIN_NAME ? MIN_NAME : left > MAX_NAME ? MAX_NAME : left;
}

/* Return whether another column shows the path of code without symbols, so that the symbol column
 * need not repeat the path. The memory of a process is identified only in the symbol column. */
static bool is_named_already(const struct pp_text_line *line)
{
	const struct pp_binary *binary = &line->report->profile->binaries[line->code->binary];

	return (line->code->kind == PP_CODE_IMAGE || line->code->kind == PP_CODE_RAW) &&
	       line->table->has_images && binary->name->kind != OP_IMAGE_ANON;
}

static void print_name(const struct pp_text_line *line, size_t class, int width)
{
	char buf[PP_CLIP_MAX];
	const char *name = is_named_already(line) ? "(no symbols)" : line->code->name;

	(void)class;
	(void)width;
	if (line->report->options->columns && line->code->kind == PP_CODE_SYMBOL)
		name = pp_clip_name(buf, name, columns_left(line));
	pp_text_print(line->report->out, name, 0, 0);
	if (line->suffix)
		fputs(line->suffix, line->report->out);
}

static const struct pp_text_column vma32 = { "vma", 9, 0, 1, print_vma };
static const struct pp_text_column vma64 = { "vma", 17, 0, 1, print_vma };
static const struct pp_text_column samples = { "samples", 9, 1, 1, print_count };
static const struct pp_text_column total = { "samples", 9, 1, 0, print_total };
static const struct pp_text_column total_percent = { "%", 9, 1, 0, print_total_percent };
static const struct pp_text_column self = { "self", 9, 1, 1, print_count };
static const struct pp_text_column diff_samples = { "samples", 9, 1, 1, print_diff_count };
static const struct pp_text_column sum = { "cum. samples", 14, 1, 0, print_sum };
static const struct pp_text_column percent = { "%", 9, 1, 1, print_percent };
static const struct pp_text_column sum_percent = { "cum. %", 11, 1, 0, print_sum_percent };
static const struct pp_text_column new_percent = { "%", 9, 1, 0, print_new_percent };
static const struct pp_text_column change = { "diff %", 10, 1, 0, print_change };
static const struct pp_text_column low = { "from %", 10, 1, 0, print_low };
static const struct pp_text_column high = { "to %", 10, 1, 0, print_high };
static const struct pp_text_column source = { "linenr info", 28, 0, 1, print_source };
static const struct pp_text_column image = { "image name", TITLE_WIDTH, 0, 0, print_image };
static const struct pp_text_column app = { "app name", TITLE_WIDTH, 0, 0, print_app };
static const struct pp_text_column name = { "symbol name", 0, 0, 0, print_name };
static const struct pp_text_column subsystem = { "subsystem", 0, 0, 0, print_name };

struct looks {
	const struct pp_group *first;
	/* .images: the functions are in several images; .apps: the functions are in several
	 * programs */
	bool images, apps;
	bool wide;		/* some addresses in the profile need more than 32 bits */
};

static void scan_entry(struct looks *looks, const struct pp_profile *profile, struct pp_end end)
{
	const struct pp_group *group = &profile->groups[end.group];

	if (!looks->first)
		looks->first = group;
	if (group != looks->first) {
		looks->images |= group->image != looks->first->image &&
				 strcmp(group->image, looks->first->image);
		looks->apps |= group->app != looks->first->app &&
			       strcmp(group->app, looks->first->app);
	}
	/* Show the column of images, because "(no symbol)" has no meaning without the name of the
	 * image. */
	looks->images |=
		profile->codes[end.code].kind == PP_CODE_UNCOVERED && profile->nr_groups > 1;
	looks->wide |= profile->codes[end.code].vma > UINT32_MAX;
}

/* Find the properties of the profile that determine the table's columns. */
static struct looks scan_profile(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	struct looks looks = { 0 };

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_details *details = pp_entry_details(profile, entry);

		if (i + 16 < profile->nr_entries)
			__builtin_prefetch(&profile->codes[profile->entries[i + 16].code]);
		scan_entry(&looks, profile, (struct pp_end){ entry->group, entry->code });
		if (details)
			looks.wide |= details->items[details->nr - 1].vma > UINT32_MAX;
	}
	for (size_t i = 0; i < profile->nr_arcs && report->options->callgraph; i++) {
		scan_entry(&looks, profile, profile->arcs[i].caller);
		scan_entry(&looks, profile, profile->arcs[i].callee);
	}
	return looks;
}

/* Return the width of the column of programs. Names of processes and threads, such as "prog (tgid:7
 * tid:8 worker)", fit into it, but not single long paths. */
static int app_width(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	int width = TITLE_WIDTH;

	for (size_t i = 0; i < profile->nr_groups; i++) {
		const char *title = profile->groups[i].app;
		int needs;

		if (!title[pp_task_path_len(title)] || strstr(title, REGION))
			continue;
		needs = op_clean_columns(pp_text_title(report, title)) + 1;
		if (needs > width && needs <= MAX_TASK_WIDTH)
			width = needs;
	}
	return width;
}

static int width_of(const struct pp_text_table *table, const struct pp_text_column *column)
{
	return column == &app ? table->app_width : column->width;
}

struct pp_text_table pp_text_table(const struct pp_report *report)
{
	const struct pp_format_options *options = report->options;
	struct pp_text_table table = { .nr = 0 };
	const struct looks looks = scan_profile(report);

	table.app_width = app_width(report);
	table.vma_digits = looks.wide ? 16 : 8;
	if (options->show_address || options->details)
		table.columns[table.nr++] = looks.wide ? &vma64 : &vma32;
	if (report->profile->has_totals) {
		table.columns[table.nr++] = &total;
		table.columns[table.nr++] = &total_percent;
	}
	table.columns[table.nr++] = report->before		  ? &diff_samples
				    : report->profile->has_totals ? &self
								  : &samples;
	if (options->accumulated)
		table.columns[table.nr++] = &sum;
	table.columns[table.nr++] = report->before ? &new_percent : &percent;
	if (options->accumulated)
		table.columns[table.nr++] = &sum_percent;
	if (report->before) {
		table.columns[table.nr++] = &change;
		table.columns[table.nr++] = &low;
		table.columns[table.nr++] = &high;
	}
	if (options->debug_info)
		table.columns[table.nr++] = &source;
	table.has_images = looks.images;
	table.has_apps = looks.apps;
	if (looks.images)
		table.columns[table.nr++] = &image;
	if (looks.apps)
		table.columns[table.nr++] = &app;
	for (size_t i = 0; i < table.nr; i++)
		table.name_at +=
			width_of(&table, table.columns[i]) *
			(table.columns[i]->per_class ? (int)report->profile->nr_classes : 1);
	table.columns[table.nr++] = options->by_subsystem ? &subsystem : &name;
	return table;
}

/* Call @print for each column of each class of samples (event, for example). The columns of a class
 * are adjacent. */
static void walk(const struct pp_text_table *table, size_t nr_classes,
		 void (*print)(const void *arg, const struct pp_text_column *column, size_t class),
		 const void *arg)
{
	size_t i = 0, end;

	while (i < table->nr) {
		if (!table->columns[i]->per_class) {
			print(arg, table->columns[i++], 0);
			continue;
		}
		for (end = i; end < table->nr && table->columns[end]->per_class; end++)
			;
		for (size_t class = 0; class < nr_classes; class++)
			for (size_t c = i; c < end; c++)
				print(arg, table->columns[c], class);
		i = end;
	}
}

static void print_head(const void *arg, const struct pp_text_column *column, size_t class)
{
	const struct pp_text_line *line = arg;
	const struct pp_report *report = line->report;
	const struct pp_class *of = &report->session->classes.items[class];
	const char *head = column->head;

	if (column == &samples || column == &diff_samples || column == &total)
		head = pp_class_is_scaled(of) ? "scaled" : pp_class_unit(of);
	fprintf(report->out, "%-*s", width_of(line->table, column), head);
}

/* Print the name of each event above the event's columns. Column heads contain only units, which
 * several events of a probe may share. */
static void put_titles(const struct pp_text_table *table, const struct pp_report *report)
{
	FILE *out = report->out;
	size_t i = 0;
	int width = 0;

	for (; i < table->nr && !table->columns[i]->per_class; i++)
		pp_text_pad(out, width_of(table, table->columns[i]));
	for (; i < table->nr && table->columns[i]->per_class; i++)
		width += width_of(table, table->columns[i]);
	for (size_t class = 0; class < report->profile->nr_classes; class++) {
		char *title = pp_text_class_title(report->session, class);

		fprintf(out, "%-*.*s", width, width - 1, title ? title : "?");
		free(title);
	}
	putc('\n', out);
}

/* Print a line with the sum of the lines that --significant hides. */
void pp_text_hidden(const struct pp_text_table *table, const struct pp_report *report)
{
	const struct pp_diff_facts *facts = report->profile->diff;
	char title[PP_HIDDEN_TITLE];
	const struct pp_code code = { .name = title, .kind = PP_CODE_UNCOVERED };
	const struct pp_group group = { .image = "", .app = "" };
	const struct pp_text_line line = {
		.report = report,
		.code = &code,
		.group = &group,
		.counts = facts->hidden,
		.totals = report->profile->totals,
		.table = table,
	};

	pp_hidden_title(title, report);
	pp_text_line(table, &line);
}

void pp_text_heads(const struct pp_text_table *table, const struct pp_report *report)
{
	const struct pp_text_line line = { .report = report, .table = table };

	if (report->profile->units_differ && report->profile->nr_classes > 1)
		put_titles(table, report);
	walk(table, report->profile->nr_classes, print_head, &line);
	putc('\n', report->out);
}

static void print_cell(const void *arg, const struct pp_text_column *column, size_t class)
{
	const struct pp_text_line *line = arg;

	column->print(line, class, width_of(line->table, column));
}

void pp_text_line(const struct pp_text_table *table, const struct pp_text_line *line)
{
	pp_text_pad(line->report->out, line->indent);
	walk(table, line->report->profile->nr_classes, print_cell, line);
	putc_unlocked('\n', line->report->out);
}

static void print_detail_cell(const void *arg, const struct pp_text_column *column, size_t class)
{
	const struct pp_text_line *line = arg;

	if (column->in_details)
		column->print(arg, class, column->width);
	else if (column->per_class) /* blank cell: keep the next class aligned */
		pp_text_pad(line->report->out, column->width);
}

void pp_text_detail_line(const struct pp_text_table *table, const struct pp_text_line *line)
{
	pp_text_pad(line->report->out, 2);
	walk(table, line->report->profile->nr_classes, print_detail_cell, line);
	putc_unlocked('\n', line->report->out);
}

struct pp_text_line pp_text_line_of(const struct pp_text_table *table,
				    const struct pp_report *report, struct pp_end end,
				    const uint64_t *counts)
{
	const struct pp_code *code = &report->profile->codes[end.code];

	return (struct pp_text_line){
		.report = report,
		.code = code,
		.group = &report->profile->groups[end.group],
		.vma = code->vma,
		.file = code->file,
		.line = code->line,
		.counts = counts,
		.totals = report->profile->totals,
		.table = table,
	};
}
