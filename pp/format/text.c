// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c -- the text report, composed of its parts. */
#include "config.h"
#include "pp/format/format.h"
#include "pp/format/path_why.h"
#include "pp/format/text_callgraph.h"
#include "pp/format/text_calltree.h"
#include "pp/format/text_header.h"
#include "pp/format/text_summary.h"
#include "pp/format/text_symbols.h"

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
		return pp_text_symbols(report);
	pp_text_summary(report);
	return 0;
}

const struct pp_format_ops pp_format_text = {
	.name = "text",
	.what = "tables for people",
	.flags = PP_FORMAT_DIFF | PP_FORMAT_TOTALS,
	.write = write_text,
};
