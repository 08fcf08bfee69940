// SPDX-License-Identifier: GPL-2.0-or-later
/* text_symbols.c -- the list of symbols; its columns are data. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/profile/sort.h"

#define MAX_COLUMNS	10	/* kinds of column; those per class stand once */

/* A line being printed: a symbol, or an address inside one. */
struct line {
	const struct pp_report *report;
	const struct pp_entry *entry;
	const struct pp_code *code;		/* the entry's */
	const struct pp_group *group;		/* the entry's */
	const struct pp_detail *detail;		/* or NULL */
	const uint64_t *counts, *totals;
	const uint64_t *sums;			/* of this and all lines above */
	int vma_digits;
};

struct column {
	const char *head;
	int width;
	int per_class;
	void (*print)(const struct line *line, size_t class, int width);
};

static void pad(FILE *out, int printed, int width)
{
	pp_text_pad(out, printed < width ? width - printed : 1);
}

static void print_vma(const struct line *line, size_t class, int width)
{
	uint64_t vma = line->detail ? line->detail->vma : line->code->vma;

	(void)class;
	pad(line->report->out, fprintf(line->report->out, "%0*" PRIx64, line->vma_digits, vma),
	    width);
}

static void print_count(const struct line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, pp_text_number(out, line->counts[class]), width);
}

static void print_sum(const struct line *line, size_t class, int width)
{
	FILE *out = line->report->out;

	pad(out, pp_text_number(out, line->sums[class]), width);
}

static void print_share(FILE *out, uint64_t part, uint64_t total, int width)
{
	char percent[PP_PERCENT_WIDTH + 1];

	pp_percent(percent, part, total);
	fwrite_unlocked(percent, 1, PP_PERCENT_WIDTH, out);
	pad(out, PP_PERCENT_WIDTH, width);
}

static void print_percent(const struct line *line, size_t class, int width)
{
	print_share(line->report->out, line->counts[class], line->totals[class], width);
}

static void print_sum_percent(const struct line *line, size_t class, int width)
{
	print_share(line->report->out, line->sums[class], line->totals[class], width);
}

/* A region of anonymous memory stands as its own symbol, with its range; once on a line is enough.
 */
static void print_region(const struct line *line, const char *title, int width)
{
	const char *range = strstr(title, " range:");
	char cut[64];

	if (!range || range - title > (int)sizeof(cut) - 2) {
		pp_text_print(line->report->out, title, width, 1);
		return;
	}
	snprintf(cut, sizeof(cut), "%.*s)", (int)(range - title), title);
	pp_text_print(line->report->out, cut, width, 1);
}

static void print_title(const struct line *line, const char *title, int width)
{
	if (line->code->kind == PP_CODE_IMAGE && title[0] != '/' &&
	    !line->report->options->long_filenames)
		print_region(line, title, width);
	else
		pp_text_print(line->report->out, pp_text_title(line->report, title), width, 1);
}

static void print_image(const struct line *line, size_t class, int width)
{
	(void)class;
	print_title(line, line->group->image, width);
}

/* With libraries merged, a region is its own program. */
static void print_app(const struct line *line, size_t class, int width)
{
	(void)class;
	print_title(line, line->group->app, width);
}

static void print_name(const struct line *line, size_t class, int width)
{
	(void)class;
	(void)width;
	pp_text_print(line->report->out, line->code->name, 0, 0);
}

static const struct column column_vma32 = { "vma", 9, 0, print_vma };
static const struct column column_vma64 = { "vma", 17, 0, print_vma };
static const struct column column_samples = { "samples", 9, 1, print_count };
static const struct column column_sum = { "cum. samples", 14, 1, print_sum };
static const struct column column_percent = { "%", 9, 1, print_percent };
static const struct column column_sum_percent = { "cum. %", 11, 1, print_sum_percent };
static const struct column column_image = { "image name", 25, 0, print_image };
static const struct column column_app = { "app name", 25, 0, print_app };
static const struct column column_name = { "symbol name", 0, 0, print_name };

struct table {
	const struct column *columns[MAX_COLUMNS];
	size_t nr;
	int vma_digits;
};

/* Is there more than one image, and more than one program? And an address that needs 64 bits? */
static void look_at_entries(const struct pp_profile *profile, int *images, int *apps, int *wide)
{
	const struct pp_group *first = &profile->groups[profile->entries->group];

	*images = *apps = *wide = 0;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_group *group = &profile->groups[entry->group];
		const struct pp_details *details = pp_entry_details(profile, entry);

		*images |= group->image != first->image && strcmp(group->image, first->image);
		*apps |= group->app != first->app && strcmp(group->app, first->app);
		*wide |= pp_entry_code(profile, entry)->vma > UINT32_MAX;
		if (details)
			*wide |= details->items[details->nr - 1].vma > UINT32_MAX;
	}
}

static void choose_columns(struct table *table, const struct pp_report *report)
{
	const struct pp_format_options *options = report->options;
	int images, apps, wide;

	look_at_entries(report->profile, &images, &apps, &wide);
	table->vma_digits = wide ? 16 : 8;
	if (options->show_address || options->details)
		table->columns[table->nr++] = wide ? &column_vma64 : &column_vma32;
	table->columns[table->nr++] = &column_samples;
	if (options->accumulated)
		table->columns[table->nr++] = &column_sum;
	table->columns[table->nr++] = &column_percent;
	if (options->accumulated)
		table->columns[table->nr++] = &column_sum_percent;
	if (images)
		table->columns[table->nr++] = &column_image;
	if (apps)
		table->columns[table->nr++] = &column_app;
	table->columns[table->nr++] = &column_name;
}

/* The columns of one class stand together; calls @print for each column of each class in turn. */
static void walk_columns(const struct table *table, size_t nr_classes,
			 void (*print)(void *arg, const struct column *column, size_t class),
			 void *arg)
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

static void print_head(void *arg, const struct column *column, size_t class)
{
	const struct pp_report *report = arg;

	(void)class;
	fprintf(report->out, "%-*s", column->width, column->head);
}

static void print_cell(void *arg, const struct column *column, size_t class)
{
	column->print(arg, class, column->width);
}

/* Below a symbol: address and numbers, two columns in; names would repeat. */
static void print_detail_cell(void *arg, const struct column *column, size_t class)
{
	if (column == &column_vma32 || column == &column_vma64 || column == &column_samples ||
	    column == &column_percent)
		column->print(arg, class, column->width);
}

static void print_details(const struct table *table, const struct pp_report *report,
			  const struct pp_entry *entry)
{
	const struct pp_details *details = pp_entry_details(report->profile, entry);

	for (size_t i = 0; details && i < details->nr; i++) {
		struct line line = {
			.report = report,
			.entry = entry,
			.code = pp_entry_code(report->profile, entry),
			.detail = &details->items[i],
			.counts = details->items[i].counts,
			.totals = report->options->global_percent ? report->profile->totals
								  : entry->counts,
			.vma_digits = table->vma_digits,
		};

		fputs("  ", report->out);
		walk_columns(table, report->profile->nr_classes, print_detail_cell, &line);
		putc('\n', report->out);
	}
}

void pp_text_symbols(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	uint64_t sums[PP_MAX_CLASSES] = { 0 };
	struct table table = { .nr = 0 };

	choose_columns(&table, report);
	if (report->options->show_header) {
		walk_columns(&table, profile->nr_classes, print_head, (void *)report);
		putc('\n', report->out);
	}
	for (size_t i = 0; i < profile->nr_entries; i++) {
		struct line line = {
			.report = report,
			.entry = &profile->entries[i],
			.code = pp_entry_code(profile, &profile->entries[i]),
			.group = &profile->groups[profile->entries[i].group],
			.counts = profile->entries[i].counts,
			.totals = profile->totals,
			.sums = sums,
			.vma_digits = table.vma_digits,
		};

		for (size_t class = 0; class < profile->nr_classes; class++)
			sums[class] += line.counts[class];
		walk_columns(&table, profile->nr_classes, print_cell, &line);
		putc('\n', report->out);
		print_details(&table, report, &profile->entries[i]);
	}
}
