/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h -- a profile for each slice of the report's range of time, for pages that show samples
 * over time. */
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
 * Divide the range of time of @work into at most @max slices, and prepare their profiles. @common
 * and @wanted: the arguments with which @work was made; they must outlive *@ret, and so must @work.
 * Profiles of slices have no samples by address. Return 0 or -ENOMEM.
 */
int pp_tool_slices_make(struct pp_tool_slices *ret, const struct pp_work *work,
			const struct pp_common *common, const struct pp_work_options *wanted,
			const struct pp_format_options *format, size_t max);
/* Free the contents of @slices, which may be zeroed. */
void pp_tool_slices_release(struct pp_tool_slices *slices);

#endif
