// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * csv.c -- the report as comma-separated values (RFC 4180), with a row for each program, image,
 * symbol and address. The first column is the kind of row, by which a spreadsheet can select rows.
 */
#include "config.h"
#include "pp/format/csv.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/session/cgroup.h"
#include "pp/format/format.h"
#include "pp/format/walk.h"

struct csv {
	/* the program and image that the walk is visiting */
	const char *program, *image, *unit;
	int tgid, tid;
	const char *task;
};

void pp_csv_text(FILE *out, const char *text)
{
	char buf[OP_CLEAN_MAX];

	op_clean(buf, sizeof(buf), text);
	putc('"', out);
	if (buf[0] && strchr("=+-@", buf[0]))
		putc('\'', out);
	for (text = buf; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void put_id(FILE *out, int id)
{
	if (id != OP_ALL)
		fprintf(out, "%d", id);
	putc(',', out);
}

/* Print the confidence interval of a change in two cells. A missing limit is an empty cell. */
static void put_interval(const struct pp_walk *walk, const uint64_t *counts, size_t column)
{
	FILE *out = walk->report->out;
	struct pp_interval change;
	bool is_known = pp_walk_interval(&change, walk, counts, column);

	putc(',', out);
	if (is_known)
		fprintf(out, "%.4f", change.low);
	putc(',', out);
	if (is_known && isfinite(change.high))
		fprintf(out, "%.4f", change.high);
}

/* Print the cells of counts in a row. @totals: inclusive totals of a symbol, if requested; else
 * NULL. */
static void put_counts(const struct pp_walk *walk, const uint64_t *counts, const uint64_t *totals)
{
	const uint64_t *before = pp_walk_before(walk, counts);
	FILE *out = walk->report->out;

	if (before)
		fprintf(out, ",%s", pp_walk_change(walk, counts));
	for (size_t i = 0; i < walk->nr_columns; i++) {
		fprintf(out, ",%" PRIu64, counts[i]);
		if (totals)
			fprintf(out, ",%" PRIu64, totals[i]);
		else if (walk->profile->has_totals)
			putc(',', out);
		if (before) {
			fprintf(out, ",%" PRIu64, before[i]);
			put_interval(walk, counts, i);
		}
	}
	fputs("\r\n", out);
}

static void put_name(FILE *out, char *name)
{
	if (name && *name)
		pp_csv_text(out, name);
	putc(',', out);
	free(name);
}

/* Print the cells of the control group @unit; NULL: the row belongs to none. */
static void put_group(FILE *out, const char *unit)
{
	put_name(out, unit ? op_cgroup_name(unit, false) : NULL);
	put_name(out, unit ? op_cgroup_container(unit, false) : NULL);
	put_name(out, unit ? op_cgroup_pod(unit) : NULL);
}

/* Print the cells of a row that precede address, size, file and line. */
static void begin_row(const struct pp_walk *walk, const char *kind, const char *image,
		      const char *symbol)
{
	const struct csv *csv = walk->arg;
	FILE *out = walk->report->out;

	fprintf(out, "%s,", kind);
	if (csv->program)
		pp_csv_text(out, csv->program);
	putc(',', out);
	put_id(out, csv->tgid);
	put_id(out, csv->tid);
	if (csv->task)
		pp_csv_text(out, csv->task);
	putc(',', out);
	if (walk->has_units)
		put_group(out, csv->unit);
	if (image)
		pp_csv_text(out, image);
	putc(',', out);
	if (symbol)
		pp_csv_text(out, symbol);
	putc(',', out);
}

static void put_place(FILE *out, const char *file, uint32_t line)
{
	putc(',', out);
	if (file)
		pp_csv_text(out, file);
	putc(',', out);
	if (file)
		fprintf(out, "%" PRIu32, line);
}

static void put_titles(const struct pp_walk *walk)
{
	static const char *const ends[] = { "before", "change from %", "change to %" };
	FILE *out = walk->report->out;

	fputs(walk->has_units ?
		      "kind,program,pid,tid,task,unit,container,pod,image,symbol,address,size,file,line" :
		      "kind,program,pid,tid,task,image,symbol,address,size,file,line",
	      out);
	if (walk->report->before)
		fputs(",change", out);
	for (size_t i = 0; i < walk->nr_columns; i++) {
		char title[PATH_MAX + 256], second[sizeof(title) + 16];

		pp_column_title(title, sizeof(title), &walk->columns[i]);
		putc(',', out);
		pp_csv_text(out, title);
		if (walk->profile->has_totals) {
			snprintf(second, sizeof(second), "%s total", title);
			putc(',', out);
			pp_csv_text(out, second);
		}
		if (!walk->report->before)
			continue;
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			snprintf(second, sizeof(second), "%s %s", title, ends[k]);
			putc(',', out);
			pp_csv_text(out, second);
		}
	}
	fputs("\r\n", out);
}

static void begin(const struct pp_walk *walk)
{
	const uint64_t *hidden;
	char title[PP_HIDDEN_TITLE];

	if (walk->report->options->show_header)
		put_titles(walk);
	begin_row(walk, "total", NULL, NULL);
	fputs(",,,", walk->report->out);
	put_counts(walk, pp_walk_totals(walk), NULL);
	hidden = pp_walk_hidden(walk);
	if (!hidden)
		return;
	pp_hidden_title(title, walk->report);
	begin_row(walk, "hidden", NULL, title);
	fputs(",,,", walk->report->out);
	put_counts(walk, hidden, NULL);
}

static void program(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	struct csv *csv = walk->arg;

	csv->program = program->name;
	csv->tgid = program->task.tgid;
	csv->tid = program->task.tid;
	csv->task = program->task.name;
	csv->unit = program->unit;
	begin_row(walk, "program", NULL, NULL);
	fputs(",,,", walk->report->out);
	put_counts(walk, program->counts, NULL);
}

static void image(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	struct csv *csv = walk->arg;

	csv->image = image->name;
	begin_row(walk, "image", image->name, NULL);
	fputs(",,,", walk->report->out);
	put_counts(walk, image->counts, NULL);
}

static void symbol(const struct pp_walk *walk, const struct pp_walk_symbol *symbol,
		   size_t first_detail, size_t nr_details)
{
	const struct csv *csv = walk->arg;
	const struct pp_code *code = symbol->code;
	FILE *out = walk->report->out;

	(void)first_detail;
	(void)nr_details;
	begin_row(walk, "symbol", csv->image, code->name);
	if (pp_code_has_address(walk->report->profile, code))
		fprintf(out, "0x%" PRIx64 ",%" PRIu32, code->vma, code->size);
	else
		putc(',', out);
	put_place(out, code->file, code->line);
	put_counts(walk, symbol->counts, symbol->totals);
}

static void detail(const struct pp_walk *walk, const struct pp_walk_detail *detail)
{
	const struct csv *csv = walk->arg;
	FILE *out = walk->report->out;

	begin_row(walk, "address", csv->image, detail->symbol->code->name);
	fprintf(out, "0x%" PRIx64 ",", detail->detail->vma);
	put_place(out, detail->frame ? detail->frame->file : NULL,
		  detail->frame ? detail->frame->line : 0);
	put_counts(walk, detail->counts, NULL);
}

static int write_csv(const struct pp_report *report)
{
	static const struct pp_walk_ops ops = {
		.begin = begin,
		.program = program,
		.image = image,
		.symbol = symbol,
		.detail = detail,
	};
	struct csv csv = { .tgid = OP_ALL, .tid = OP_ALL };

	return pp_walk(report, &ops, &csv);
}

const struct pp_format_ops pp_format_csv = {
	.name = "csv",
	.what = "comma-separated values",
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF | PP_FORMAT_HIDES | PP_FORMAT_TOTALS,
	.write = write_csv,
};
