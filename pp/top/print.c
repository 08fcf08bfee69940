// SPDX-License-Identifier: GPL-2.0-or-later
/* print.c -- prints snapshots as plain text. */
#include "config.h"
#include "pp/top/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"

#define NS_PER_S 1e9

/* Append formatted text to the summary, unless the line would become too long. */
__attribute__((format(printf, 4, 5)))
static void add(char *buf, size_t size, size_t columns, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size - len || (len && columns && len + n > columns))
		buf[len] = '\0';
}

void pp_top_summary(char *buf, size_t size, const struct pp_top_snapshot *snapshot, size_t columns)
{
	time_t end = snapshot->end_ms / 1000;
	double seconds = pp_top_seconds(snapshot);
	char when[32] = "", event[64];
	struct tm tm;

	if (localtime_r(&end, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	*buf = '\0';
	add(buf, size, columns, "%s", when);
	if (seconds >= 90)
		add(buf, size, columns, "  %.0f min", seconds / 60);
	else
		add(buf, size, columns, "  %.2f s", seconds);
	add(buf, size, columns, "  %" PRIu64 " %s", snapshot->total, snapshot->unit);
	if (snapshot->event && !strcmp(snapshot->event, "TIMER") && seconds > 0)
		add(buf, size, columns, "  %.2f CPUs busy",
		    snapshot->total * (double)snapshot->period / NS_PER_S / seconds);
	if (snapshot->lost)
		add(buf, size, columns, "  %" PRIu64 " lost", snapshot->lost);
	if (snapshot->event)
		add(buf, size, columns, "  %s:%" PRIu64,
		    op_clean(event, sizeof(event), snapshot->event), snapshot->period);
}

static void print_row(FILE *out, const struct pp_top_snapshot *snapshot,
		      const struct pp_top_view *view, const struct pp_top_row *row)
{
	bool paths = pp_top_has_paths(view->by);
	double all = pp_top_whole(snapshot, paths);

	fprintf(out, "%10" PRIu64 " %7.4f ", row->count, 100.0 * row->count / all);
	if (paths)
		fprintf(out, "%10" PRIu64 " ", row->self);
	for (unsigned int i = 0; i < row->depth; i++)
		fputs("  ", out);
	op_put_clean(out, row->name, strlen(row->name));
	if (row->image && view->by == PP_TOP_SYMBOLS) {
		fputs("  ", out);
		op_put_clean(out, row->image, strlen(row->image));
	}
	putc('\n', out);
}

int pp_top_print(FILE *out, const struct pp_top_snapshot *snapshot, const struct pp_top_view *view,
		 size_t lines)
{
	static const char *const heads[] = {
		[PP_TOP_PROGRAMS] = "   samples       % program",
		[PP_TOP_SYMBOLS] = "   samples       % symbol  image",
		[PP_TOP_PATHS] = "   samples       %       self path",
		[PP_TOP_FLAME] = "   samples       %       self path",
	};
	struct pp_top_rows rows;
	char summary[300];
	int err = pp_top_rows_make(&rows, snapshot, view);

	if (err)
		return err;
	pp_top_summary(summary, sizeof(summary), snapshot, 0);
	fprintf(out, "optop %s\n", summary);
	if (rows.nr)
		fprintf(out, "%s\n", heads[view->by]);
	for (size_t i = 0; i < rows.nr && (!lines || i < lines); i++)
		print_row(out, snapshot, view, &rows.items[i]);
	if (lines && rows.nr > lines)
		fprintf(out, "           ... %zu more %s\n", rows.nr - lines,
			op_plural(rows.nr - lines, "line", "lines"));
	putc('\n', out);
	pp_top_rows_release(&rows);
	return 0;
}
