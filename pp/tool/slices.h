/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h -- profiles of the slices of a report's time. */
#ifndef PP_TOOL_SLICES_H
#define PP_TOOL_SLICES_H

#include "pp/format/format.h"
#include "pp/tool/work.h"

struct pp_tool_slices {
	struct pp_report_slices slices;		/* must be the first member */
	struct op_period *periods;
	const struct pp_common *common;
	const struct pp_format_options *format;
	struct pp_work_options wanted;
};

/*
 * Divide the time of @work, which was made with @common and @wanted, into at most @max slices.
 * Profiles of the slices have no details of functions. The arguments must outlive *@ret. Return 0
 * or -ENOMEM.
 */
int pp_tool_slices_make(struct pp_tool_slices *ret, const struct pp_work *work,
			const struct pp_common *common, const struct pp_work_options *wanted,
			const struct pp_format_options *format, size_t max);
/* Accepts a zeroed struct. */
void pp_tool_slices_release(struct pp_tool_slices *slices);

#endif
