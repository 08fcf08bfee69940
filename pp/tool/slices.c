// SPDX-License-Identifier: GPL-2.0-or-later
/* slices.c -- makes a profile for each slice of the report's range of time. */
#include "config.h"
#include "pp/tool/slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pp/session/range.h"
#include "pp/session/slices.h"

/* Discard a message: the report of the whole range of time has already printed it. */
static void discard(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

/* Return whether all intervals of @range belong to slice number @at. For the last slice, ignore its
 * end: it contains the current session, which may have become longer. */
static bool is_of_slice(const struct pp_range *range, const struct pp_report_slices *slices,
			size_t at)
{
	const struct op_period *period = &slices->periods[at];

	for (size_t i = 0; i < range->time.nr_parts; i++)
		if (range->time.parts[i].begin < period->begin ||
		    (range->time.parts[i].end > period->end && at + 1 < slices->nr))
			return false;
	return true;
}

static int read_slice(const struct pp_report_slices *slices, size_t at,
		      int (*visit)(void *arg, size_t slice, const struct pp_report *report),
		      void *arg)
{
	const struct pp_tool_slices *tool = (const struct pp_tool_slices *)slices;
	const struct op_period *period = &slices->periods[at];
	char text[64], *value = text;
	struct pp_spec spec = tool->common->spec;
	struct pp_work_options wanted = tool->wanted;
	struct pp_log quiet = { .write = discard };
	struct pp_report report = { .options = tool->format, .log = &quiet, .command = "" };
	struct pp_work work;
	int err;

	snprintf(text, sizeof(text), "@%lld..@%lld", (long long)period->begin,
		 (long long)period->end);
	spec.tags[PP_TAG_TIME] = (struct pp_values){ &value, 1 };
	wanted.spec = &spec;
	err = pp_work_make(&work, tool->common, &wanted, &quiet);
	if (err == -ENOMEM)
		return err;
	/* this slice may have no samples that the specification selects */
	if (err)
		return 0;
	report.session = work.session;
	report.profile = work.profile;
	report.images = work.images;
	err = is_of_slice(work.session->range, slices, at) ? visit(arg, at, &report) : -EAGAIN;
	pp_work_release(&work);
	return err;
}

int pp_tool_slices_make(struct pp_tool_slices *ret, const struct pp_work *work,
			const struct pp_common *common, const struct pp_work_options *wanted,
			const struct pp_format_options *format, size_t max)
{
	struct pp_tool_slices slices = {
		.common = common, .format = format, .wanted = *wanted,
		.slices = { .read = read_slice },
	};
	int err = pp_slices_make(&slices.periods, &slices.slices.nr, &work->session->range->time,
				 max);

	if (err)
		return err;
	slices.slices.periods = slices.periods;
	slices.wanted.arcs = false;
	slices.wanted.allocators = NULL;
	*ret = slices;
	return 0;
}

void pp_tool_slices_release(struct pp_tool_slices *slices)
{
	free(slices->periods);
	*slices = (struct pp_tool_slices){ .periods = NULL };
}
