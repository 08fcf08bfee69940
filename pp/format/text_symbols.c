// SPDX-License-Identifier: GPL-2.0-or-later
/* text_symbols.c -- the list of symbols, and with --details their addresses. */
#include "config.h"
#include "pp/format/text_columns.h"

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

void pp_text_symbols(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	const struct pp_text_table table = pp_text_table(report);
	uint64_t sums[PP_MAX_CLASSES] = { 0 };

	if (report->options->show_header)
		pp_text_heads(&table, report);
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_end end = { entry->group, entry->code };
		struct pp_text_line line = pp_text_line_of(&table, report, end, entry->counts);

		for (size_t class = 0; class < profile->nr_classes; class++)
			sums[class] += entry->counts[class];
		line.sums = sums;
		pp_text_line(&table, &line, 0);
		if (report->options->details)
			print_details(&table, report, entry, &line);
	}
}
