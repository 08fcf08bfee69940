// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c -- the text report, composed of its parts; and the summary by program. */
#include "config.h"
#include "pp/format/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/format/format.h"
#include "pp/format/path_why.h"
#include "pp/format/percent.h"
#include "pp/format/walk.h"
#include "pp/join/certainty.h"
#include "pp/profile/jobs.h"
#include "pp/session/tasks.h"

/* Columns of the summary by program, which has a line for each program, followed by a line for each
 * file in which the program has samples. */

#define TITLE_WIDTH 17
/* width of each of the columns "    diff %|    from %|      to %|" of a differential profile */
#define CHANGE_WIDTH 11

static int title_width(const struct pp_report *report)
{
	return TITLE_WIDTH + (report->before ? 3 * CHANGE_WIDTH : 0);
}

/* Print the title of a column of counts right-aligned, and shorten the title if necessary. */
static void print_class_title(const struct pp_report *report, size_t class)
{
	char *title = pp_text_class_title(report->session, class);
	char cut[TITLE_WIDTH + 1];

	snprintf(cut, sizeof(cut), "%s", title ? title : "?");
	if (title && strlen(title) > TITLE_WIDTH)
		memcpy(cut + TITLE_WIDTH - 3, "...", 4);
	free(title);
	pp_text_pad(report->out, title_width(report) - (int)strlen(cut));
	pp_text_print(report->out, cut, 0, 0);
	putc('|', report->out);
}

static void print_column_heads(const struct pp_report *report, const char *indent)
{
	size_t nr = report->profile->nr_classes;

	if (!report->options->show_header)
		return;
	fputs(indent, report->out);
	for (size_t i = 0; i < nr; i++)
		print_class_title(report, i);
	fprintf(report->out, "\n%s", indent);
	for (size_t i = 0; i < nr; i++) {
		const struct pp_class *class = &report->session->classes.items[i];

		fprintf(report->out, "%9s|      %%|%s",
			pp_class_is_scaled(class) ? "scaled" : pp_class_unit(class),
			report->before ? "    diff %|    from %|      to %|" : "");
	}
	fprintf(report->out, "\n%s", indent);
	for (size_t i = 0; i < nr; i++)
		fprintf(report->out, "------------------%s", report->before ? "---------------------------------" : "");
	putc('\n', report->out);
}

static void print_diff_cells(const struct pp_report *report, const uint64_t *counts,
			     const uint64_t *totals, size_t class)
{
	char percent[PP_PERCENT_SIZE] = "    ---", change[PP_TEXT_CHANGE];
	char low[PP_TEXT_CHANGE], high[PP_TEXT_CHANGE];

	if (pp_diff_change(report->profile, counts) != PP_DIFF_GONE)
		pp_percent(percent, counts[class], totals[class]);
	pp_text_change(change, report, counts, class);
	pp_text_interval(low, high, report, counts, class);
	fprintf(report->out, "%9" PRIu64 " %s %*s %*s %*s ",
		pp_text_diff_counts(report, counts)[class], percent, CHANGE_WIDTH - 1, change,
		CHANGE_WIDTH - 1, low, CHANGE_WIDTH - 1, high);
}

static void print_line(const struct pp_report *report, const char *indent, const uint64_t *counts,
		       const uint64_t *totals, const char *title)
{
	char percent[PP_PERCENT_SIZE];

	fputs(indent, report->out);
	for (size_t i = 0; i < report->profile->nr_classes; i++) {
		if (report->before) {
			print_diff_cells(report, counts, totals, i);
			continue;
		}
		pp_percent(percent, counts[i], totals[i]);
		fprintf(report->out, "%9" PRIu64 " %s ", counts[i], percent);
	}
	pp_text_print(report->out, pp_text_title(report, title), 0, 0);
	putc('\n', report->out);
}

static void print_app(const struct pp_report *report, const struct pp_app *app)
{
	const uint64_t *totals =
		report->options->global_percent ? report->profile->totals : app->counts;

	print_line(report, "", app->counts, report->profile->totals, app->app);
	if (!app->nr_dependents ||
	    (app->nr_dependents == 1 && pp_tasks_own_image(app->app, app->dependents[0].image)))
		return;
	print_column_heads(report, "\t");
	for (size_t i = 0; i < app->nr_dependents; i++)
		print_line(report, "\t", app->dependents[i].counts, totals,
			   app->dependents[i].image);
}

static bool has_hidden(const struct pp_report *report)
{
	return report->profile->diff && report->profile->diff->nr_hidden;
}

/* Print the sum of the programs that --significant hides from the report. */
static void print_hidden(const struct pp_report *report)
{
	const struct pp_diff_facts *facts = report->profile->diff;
	char title[PP_HIDDEN_TITLE];

	pp_hidden_title(title, report);
	print_line(report, "", facts->hidden, report->profile->totals, title);
}

static void text_summary(const struct pp_report *report)
{
	print_column_heads(report, "");
	for (size_t i = 0; i < report->profile->nr_apps; i++)
		print_app(report, &report->profile->apps[i]);
	if (has_hidden(report))
		print_hidden(report);
}

#define PIECE	8192	/* number of symbols that a thread formats at a time */
/* number of lines between the prefetch of a line's data and the use of the data */
#define AHEAD	16

struct piece {
	char *text;
	size_t size;
};

struct pieces {
	const struct pp_report *report;
	const struct pp_text_table *table;
	struct piece *items;
	/* for each piece of the table (PIECE symbols): sums of all lines before the piece, by
	 * column; NULL: not requested */
	uint64_t *sums;
};

static void print_details(const struct pp_text_table *table, const struct pp_report *report,
			  const struct pp_entry *entry, const struct pp_text_line *above)
{
	const struct pp_details *details = pp_entry_details(report->profile, entry);

	for (size_t i = 0; details && i < details->nr; i++) {
		const struct pp_frames *frames = details->frames ? &details->frames[i] : NULL;
		struct pp_text_line line = *above;

		line.vma = details->items[i].vma;
		line.counts = details->items[i].counts;
		line.file = frames && frames->nr ? frames->items[0].file : NULL;
		line.line = frames && frames->nr ? frames->items[0].line : 0;
		if (!report->options->global_percent)
			line.totals = entry->counts;
		pp_text_detail_line(table, &line);
	}
}

/* always inlined, because gcc removes calls of a function that only prefetches data */
static inline __attribute__((always_inline)) void prefetch(const struct pp_profile *profile,
							   size_t i)
{
	if (i + 2 * AHEAD < profile->nr_entries)
		__builtin_prefetch(&profile->codes[profile->entries[i + 2 * AHEAD].code]);
	if (i + AHEAD < profile->nr_entries) {
		__builtin_prefetch(profile->entries[i + AHEAD].counts);
		__builtin_prefetch(profile->codes[profile->entries[i + AHEAD].code].name);
	}
}

static void print_entries(const struct pp_text_table *table, const struct pp_report *report,
			  size_t begin, size_t end, uint64_t *sums)
{
	const struct pp_profile *profile = report->profile;

	for (size_t i = begin; i < end; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_end function = { entry->group, entry->code };
		struct pp_text_line line = pp_text_line_of(table, report, function, entry->counts);

		prefetch(profile, i);
		for (size_t class = 0; sums && class < profile->nr_classes; class++)
			sums[class] += entry->counts[class];
		line.sums = sums;
		line.inclusive = pp_entry_total(profile, entry);
		pp_text_line(table, &line);
		if (report->options->details)
			print_details(table, report, entry, &line);
	}
}

static int print_piece(void *arg, size_t i)
{
	struct pieces *pieces = arg;
	struct pp_report report = *pieces->report;
	size_t end = (i + 1) * PIECE, nr = report.profile->nr_entries;
	bool failed;

	report.out = open_memstream(&pieces->items[i].text, &pieces->items[i].size);
	if (!report.out)
		return -ENOMEM;
	print_entries(pieces->table, &report, i * PIECE, end < nr ? end : nr,
		      pieces->sums ? pieces->sums + i * report.profile->nr_classes : NULL);
	failed = ferror(report.out);
	return fclose(report.out) || failed ? -ENOMEM : 0;
}

/* Write the text of piece @i of the table. Stop after a write error; the caller checks ferror(). */
static int write_piece(void *arg, size_t i)
{
	struct pieces *pieces = arg;
	struct piece *piece = &pieces->items[i];

	fwrite(piece->text, 1, piece->size, pieces->report->out);
	free(piece->text);
	piece->text = NULL;
	return ferror(pieces->report->out) ? -(errno ? errno : EIO) : 0;
}

static const struct pp_jobs_ops jobs = { .work = print_piece, .take = write_piece };

/* Return the sums of all lines before each piece of the table, indexed by piece, then column. */
static uint64_t *sums_before(const struct pp_profile *profile, size_t nr_pieces)
{
	size_t nr = profile->nr_classes;
	uint64_t *sums = calloc(nr_pieces * nr + 1, sizeof(*sums));

	for (size_t i = PIECE; sums && i < nr_pieces * PIECE; i++) {
		uint64_t *mine = sums + i / PIECE * nr;

		if (i % PIECE == 0)
			memcpy(mine, mine - nr, nr * sizeof(*sums));
		for (size_t class = 0; class < nr; class++)
			mine[class] += profile->entries[i - PIECE].counts[class];
	}
	return sums;
}

/* Write the table of symbols. Return 0 or -ENOMEM. */
static int write_symbols(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	const struct pp_text_table table = pp_text_table(report);
	size_t nr = (profile->nr_entries + PIECE - 1) / PIECE;
	struct pieces pieces = { .report = report, .table = &table };
	int err = -ENOMEM;

	if (report->options->show_header)
		pp_text_heads(&table, report);
	pieces.items = calloc(nr + 1, sizeof(*pieces.items));
	if (report->options->accumulated)
		pieces.sums = sums_before(profile, nr);
	if (pieces.items && (pieces.sums || !report->options->accumulated))
		err = pp_jobs_run(nr, 0, &jobs, &pieces);
	for (size_t i = 0; pieces.items && i < nr; i++)
		free(pieces.items[i].text);
	free(pieces.items);
	free(pieces.sums);
	if (!err && has_hidden(report))
		pp_text_hidden(&table, report);
	if (err == -ENOMEM)
		return err;
	if (err)
		errno = -err;	/* errno is per thread, and the error may be from another thread */
	return 0;
}

static int write_text(const struct pp_report *report)
{
	int err = pp_text_header(report);

	if (err)
		return err;
	if (report->options->why_short)
		return pp_path_why_all(report);
	if (report->options->calltree)
		return pp_text_calltree(report);
	if (report->options->callgraph)
		return pp_text_callgraph(report);
	if (report->options->symbols)
		return write_symbols(report);
	text_summary(report);
	return 0;
}

const struct pp_format_ops pp_format_text = {
	.name = "text",
	.what = "tables for people",
	.flags = PP_FORMAT_IDLE | PP_FORMAT_DIFF | PP_FORMAT_HIDES | PP_FORMAT_TOTALS,
	.write = write_text,
};
