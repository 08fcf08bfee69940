// SPDX-License-Identifier: GPL-2.0-or-later
/* speedscope.c -- the file format of speedscope.app: frames, and a list of stacks per event. */
#include "config.h"
#include "pp/format/format.h"
#include "libop/base/json.h"
#include "pp/format/stacks.h"

static void add_frames(struct op_json *json, const struct pp_stacks *stacks)
{
	op_json_key(json, "shared");
	op_json_begin(json, '{');
	op_json_key(json, "frames");
	op_json_begin(json, '[');
	for (size_t i = 0; i < stacks->nr_frames; i++) {
		struct pp_stack_frame frame;

		pp_stack_frame(stacks, i, &frame);
		op_json_begin(json, '{');
		op_json_add_string(json, "name", frame.name);
		if (frame.code && frame.code->file) {
			op_json_add_string(json, "file", frame.code->file);
			if (frame.code->line)
				op_json_add_uint(json, "line", frame.code->line);
		} else {
			op_json_add_string(json, "file", frame.path);
		}
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static uint64_t sum_of(const struct pp_profile *profile, size_t class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_entries; i++)
		sum += profile->entries[i].counts[class];
	return sum;
}

static void add_profile(struct op_json *json, const struct pp_stacks *stacks, size_t class)
{
	const struct pp_class *about = &stacks->report->session->classes.items[class];
	const struct pp_profile *profile = stacks->profile;
	const char *unit;
	uint64_t weight = pp_class_weight(about, &unit);
	char label[256];

	pp_class_label(label, sizeof(label), about);
	op_json_begin(json, '{');
	op_json_add_string(json, "type", "sampled");
	op_json_add_string(json, "name", label);
	op_json_add_string(json, "unit", *unit ? unit : "none");
	op_json_add_uint(json, "startValue", 0);
	op_json_add_uint(json, "endValue", weight * sum_of(profile, class));
	op_json_key(json, "samples");
	op_json_begin(json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++) {
		uint32_t frames[PP_MAX_STACK];
		uint64_t numbers[PP_MAX_STACK];
		unsigned int nr;

		if (!profile->entries[i].counts[class])
			continue;
		nr = pp_stack_of(stacks, &profile->entries[i], frames);
		for (unsigned int f = 0; f < nr; f++)
			numbers[f] = frames[f];
		op_json_uints(json, numbers, nr);
	}
	op_json_end(json, ']');
	op_json_key(json, "weights");
	op_json_begin(json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts[class])
			op_json_uint(json, weight * profile->entries[i].counts[class]);
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static int write_speedscope(const struct pp_report *report)
{
	struct pp_stacks stacks;
	struct op_json json;
	int err = pp_stacks_make(&stacks, report);

	if (err)
		return err;
	op_json_init(&json, report->out, 3);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	op_json_add_string(&json, "name", report->command);
	op_json_add_string(&json, "exporter", PACKAGE_STRING);
	op_json_add_uint(&json, "activeProfileIndex", 0);
	add_frames(&json, &stacks);
	op_json_key(&json, "profiles");
	op_json_begin(&json, '[');
	for (size_t class = 0; class < report->profile->nr_classes; class++)
		add_profile(&json, &stacks, class);
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	pp_stacks_release(&stacks);
	return 0;
}

const struct pp_format_ops pp_format_speedscope = {
	.name = "speedscope",
	.what = "JSON for speedscope.app",
	.needs = PP_NEED_SYMBOLS,
	.flags = PP_FORMAT_MANY_AXES,
	.write = write_speedscope,
};
