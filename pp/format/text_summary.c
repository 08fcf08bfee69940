// SPDX-License-Identifier: GPL-2.0-or-later
/* text_summary.c -- programs, and below each the files with its samples. */
#include "config.h"
#include "pp/format/text_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/format/text_cells.h"
#include "pp/join/diff.h"
#include "pp/session/tasks.h"

#define TITLE_WIDTH 17
#define CHANGE_WIDTH 11	/* "   diff %|" more, in a differential profile */

static int title_width(const struct pp_report *report)
{
	return TITLE_WIDTH + (report->before ? CHANGE_WIDTH : 0);
}

/* Print a class's title right-aligned, shortened if necessary. */
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
			report->before ? "    diff %|" : "");
	}
	fprintf(report->out, "\n%s", indent);
	for (size_t i = 0; i < nr; i++)
		fprintf(report->out, "------------------%s", report->before ? "-----------" : "");
	putc('\n', report->out);
}

static void print_diff_cells(const struct pp_report *report, const uint64_t *counts,
			     const uint64_t *totals, size_t class)
{
	char percent[PP_PERCENT_SIZE] = "    ---", change[PP_TEXT_CHANGE];

	if (pp_diff_change(report->profile, counts) != PP_DIFF_GONE)
		pp_percent(percent, counts[class], totals[class]);
	pp_text_change(change, report, counts, class);
	fprintf(report->out, "%9" PRIu64 " %s %*s ", pp_text_diff_counts(report, counts)[class],
		percent, CHANGE_WIDTH - 1, change);
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

void pp_text_summary(const struct pp_report *report)
{
	print_column_heads(report, "");
	for (size_t i = 0; i < report->profile->nr_apps; i++)
		print_app(report, &report->profile->apps[i]);
}
