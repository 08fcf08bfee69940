// SPDX-License-Identifier: GPL-2.0-or-later
/* output.c -- a command's sums as perfex printed them: a name, tabs up to column 24, a number of
 * 19 columns. */
#include "config.h"
#include "utils/opperfex/output.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "libop/base/clean.h"

#define NS_KHZ		1000000
#define NAME_WIDTH	24
#define TAB		8

static void print_row(FILE *out, const char *kind, const char *name, uint64_t count)
{
	size_t width = strlen(kind) + strlen(name);

	fputs(kind, out);
	op_put_clean(out, name, strlen(name));
	do
		fputc('\t', out);
	while ((width = width / TAB * TAB + TAB) < NAME_WIDTH);
	fprintf(out, "%19" PRIu64, count);
}

void perfex_print(FILE *out, char *const *events, uint64_t tsc_khz,
		  const struct vperf_counts *counts)
{
	print_row(out, "", tsc_khz == NS_KHZ ? "nanoseconds" : "tsc", counts->tsc);
	fputc('\n', out);
	for (uint32_t i = 0; i < counts->nr; i++) {
		const struct vperf_count *c = &counts->slot[i];

		print_row(out, "event ", events[i], c->count);
		if (counts->incomplete & 1u << i)
			fprintf(out, "\t(had a counter for %.2f %% of the time)",
				c->enabled ? 100.0 * (double)c->running / (double)c->enabled : 0.0);
		fputc('\n', out);
	}
}

void perfex_print_children(FILE *out, char *const *events, uint64_t tsc_khz,
			   const struct vperf_counts *counts)
{
	fputs("children", out);
	if (counts->nr_children)
		fprintf(out, "\t\t%19" PRIu64, counts->nr_children);
	if (counts->nr_missed)
		fprintf(out, "\t(%" PRIu64 " more were not counted: no memory)", counts->nr_missed);
	fputc('\n', out);
	perfex_print(out, events, tsc_khz, counts);
}
