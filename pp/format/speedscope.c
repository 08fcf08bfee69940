// SPDX-License-Identifier: GPL-2.0-or-later
/* speedscope.c -- the file format of speedscope.app: frames, and a list of stacks per event. */
#include "config.h"
#include "pp/format/format.h"
#include "pp/format/json_out.h"
#include "pp/format/stacks.h"

static void add_frames(struct pp_json *json, const struct pp_stacks *stacks)
{
	pp_json_key(json, "shared");
	pp_json_begin(json, '{');
	pp_json_key(json, "frames");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < stacks->nr_frames; i++) {
		struct pp_stack_frame frame;

		pp_stack_frame(stacks, i, &frame);
		pp_json_begin(json, '{');
		pp_json_add_string(json, "name", frame.name);
		if (frame.code && frame.code->file) {
			pp_json_add_string(json, "file", frame.code->file);
			if (frame.code->line)
				pp_json_add_uint(json, "line", frame.code->line);
		} else {
			pp_json_add_string(json, "file", frame.path);
		}
		pp_json_end(json, '}');
	}
	pp_json_end(json, ']');
	pp_json_end(json, '}');
}

static uint64_t sum_of(const struct pp_profile *profile, size_t class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_entries; i++)
		sum += profile->entries[i].counts[class];
	return sum;
}

static void add_profile(struct pp_json *json, const struct pp_stacks *stacks, size_t class)
{
	const struct pp_class *about = &stacks->report->session->classes.items[class];
	const struct pp_profile *profile = stacks->profile;
	const char *unit;
	uint64_t weight = pp_class_weight(about, &unit);
	char label[256];

	pp_class_label(label, sizeof(label), about);
	pp_json_begin(json, '{');
	pp_json_add_string(json, "type", "sampled");
	pp_json_add_string(json, "name", label);
	pp_json_add_string(json, "unit", *unit ? unit : "none");
	pp_json_add_uint(json, "startValue", 0);
	pp_json_add_uint(json, "endValue", weight * sum_of(profile, class));
	pp_json_key(json, "samples");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++) {
		uint32_t frames[PP_MAX_STACK];
		uint64_t numbers[PP_MAX_STACK];
		unsigned int nr;

		if (!profile->entries[i].counts[class])
			continue;
		nr = pp_stack_of(stacks, &profile->entries[i], frames);
		for (unsigned int f = 0; f < nr; f++)
			numbers[f] = frames[f];
		pp_json_uints(json, numbers, nr);
	}
	pp_json_end(json, ']');
	pp_json_key(json, "weights");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts[class])
			pp_json_uint(json, weight * profile->entries[i].counts[class]);
	pp_json_end(json, ']');
	pp_json_end(json, '}');
}

static int write_speedscope(const struct pp_report *report)
{
	struct pp_stacks stacks;
	struct pp_json json;
	int err = pp_stacks_make(&stacks, report);

	if (err)
		return err;
	pp_json_init(&json, report->out, 3);
	pp_json_begin(&json, '{');
	pp_json_add_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	pp_json_add_string(&json, "name", report->command);
	pp_json_add_string(&json, "exporter", PACKAGE_STRING);
	pp_json_add_uint(&json, "activeProfileIndex", 0);
	add_frames(&json, &stacks);
	pp_json_key(&json, "profiles");
	pp_json_begin(&json, '[');
	for (size_t class = 0; class < report->profile->nr_classes; class++)
		add_profile(&json, &stacks, class);
	pp_json_end(&json, ']');
	pp_json_end(&json, '}');
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
