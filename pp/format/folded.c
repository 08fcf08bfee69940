// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c -- one line for each stack, frames separated by semicolons, as flamegraph.pl takes it. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>

#include "libop/base/clean.h"
#include "pp/format/format.h"
#include "pp/format/stacks.h"

/* A semicolon would be another frame. */
static void put_name(FILE *out, const char *name)
{
	char buf[OP_CLEAN_MAX];

	for (name = op_clean(buf, sizeof(buf), name); *name; name++)
		putc(*name == ';' ? ':' : *name, out);
}

static int write_folded(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	struct pp_stacks stacks;
	int err;

	if (profile->nr_classes > 1) {
		return op_fail(&report->log->why, -EINVAL, "--format=folded has one number for each stack, and there "
			       "are %zu kinds of samples: choose with event:, tid: or cpu:, or add up with --merge",
			       profile->nr_classes);
	}
	err = pp_stacks_make(&stacks, report);
	if (err)
		return err;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		uint32_t frames[PP_MAX_STACK];
		unsigned int nr = pp_stack_of(&stacks, entry, frames);
		struct pp_stack_frame frame;

		if (!entry->counts[0])
			continue;
		for (unsigned int f = 0; f < nr; f++) {
			pp_stack_frame(&stacks, frames[f], &frame);
			if (f)
				putc(';', report->out);
			put_name(report->out, frame.name);
		}
		fprintf(report->out, " %" PRIu64 "\n", entry->counts[0]);
	}
	pp_stacks_release(&stacks);
	return 0;
}

const struct pp_format_ops pp_format_folded = {
	.name = "folded",
	.what = "stacks, for flamegraph.pl and its like",
	.needs = PP_NEED_SYMBOLS,
	.write = write_folded,
};
