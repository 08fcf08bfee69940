// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firefox.c -- the processed profile format of profiler.firefox.com. Each class of samples is a
 * thread; tables are columns of arrays that refer to each other by index.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>

#include "pp/format/format.h"
#include "pp/format/json_out.h"
#include "pp/format/stacks.h"

#define META_VERSION		29	/* of the format Firefox writes */
#define PROCESSED_VERSION	47	/* of the processed one, which this is */

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

/* A stack: its last frame and what is above. One for each frame below each prefix. */
struct stack {
	uint32_t frame;
	int64_t prefix;		/* -1: none */
};

struct firefox {
	struct pp_json json;
	struct pp_stacks stacks;
	struct stack *items;
	size_t nr;
	uint32_t *of_entry;
};

static int compare_paths(const void *a, const void *b, void *arg)
{
	const struct pp_stacks *s = arg;
	uint32_t x[PP_MAX_STACK], y[PP_MAX_STACK];
	unsigned int n = pp_stack_of(s, &s->profile->entries[*(const uint32_t *)a], x);
	unsigned int m = pp_stack_of(s, &s->profile->entries[*(const uint32_t *)b], y);

	for (unsigned int i = 0; i < n && i < m; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return n < m ? -1 : n > m;
}

/* Entries in order of their paths: equal beginnings are neighbours, and become one stack. */
static int make_stacks(struct firefox *f)
{
	const struct pp_profile *profile = f->stacks.profile;
	size_t nr = profile->nr_entries;
	uint32_t *order = calloc(nr + 1, sizeof(*order));
	uint32_t last[PP_MAX_STACK], path[PP_MAX_STACK];
	int64_t open[PP_MAX_STACK];
	unsigned int nr_last = 0;

	f->items = calloc(nr * PP_MAX_STACK + 1, sizeof(*f->items));
	f->of_entry = calloc(nr + 1, sizeof(*f->of_entry));
	if (!order || !f->items || !f->of_entry) {
		free(order);
		return pp_oom(f->stacks.report->log);
	}
	for (size_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare_paths, &f->stacks);
	for (size_t i = 0; i < nr; i++) {
		unsigned int n = pp_stack_of(&f->stacks, &profile->entries[order[i]], path);
		unsigned int same = 0;

		while (same < n && same < nr_last && path[same] == last[same])
			same++;
		for (unsigned int d = same; d < n; d++) {
			f->items[f->nr] = (struct stack){ path[d], d ? open[d - 1] : -1 };
			open[d] = f->nr++;
		}
		f->of_entry[order[i]] = open[n - 1];
		memcpy(last, path, n * sizeof(*path));
		nr_last = n;
	}
	free(order);
	return 0;
}

static enum category category_of(const struct pp_stacks *s, uint32_t frame)
{
	struct pp_stack_frame info;

	pp_stack_frame(s, frame, &info);
	if (info.kind == PP_STACK_PROGRAM)
		return CATEGORY_OTHER;
	frame -= s->nr_programs;
	if (info.code)
		frame = info.code->binary;
	return s->profile->binaries[frame].name->kind == OP_IMAGE_KERN ? CATEGORY_KERNEL :
									 CATEGORY_USER;
}

/* A column: @nr times what @value gives, or null for -1. */
static void add_column(struct firefox *f, const char *name, size_t nr,
		       int64_t (*value)(const struct firefox *f, size_t i))
{
	pp_json_key(&f->json, name);
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < nr; i++) {
		int64_t n = value(f, i);

		if (n < 0)
			pp_json_word(&f->json, "null");
		else
			pp_json_int(&f->json, n);
	}
	pp_json_end(&f->json, ']');
}

static int64_t none(const struct firefox *f, size_t i)
{
	(void)f;
	(void)i;
	return -1;
}

static int64_t zero(const struct firefox *f, size_t i)
{
	(void)f;
	(void)i;
	return 0;
}

static int64_t itself(const struct firefox *f, size_t i)
{
	(void)f;
	return i;
}

static int64_t stack_frame(const struct firefox *f, size_t i)
{
	return f->items[i].frame;
}

static int64_t stack_prefix(const struct firefox *f, size_t i)
{
	return f->items[i].prefix;
}

static int64_t stack_category(const struct firefox *f, size_t i)
{
	return category_of(&f->stacks, f->items[i].frame);
}

static int64_t frame_category(const struct firefox *f, size_t i)
{
	return category_of(&f->stacks, i);
}

static const struct pp_code *code_of(const struct firefox *f, size_t frame)
{
	struct pp_stack_frame info;

	pp_stack_frame(&f->stacks, frame, &info);
	return info.code;
}

static int64_t frame_line(const struct firefox *f, size_t i)
{
	const struct pp_code *code = code_of(f, i);

	return code && code->line ? (int64_t)code->line : -1;
}

/* Addresses beyond what a number in JavaScript is exact for are left out: -1 is "none" here too. */
static void add_addresses(struct firefox *f)
{
	pp_json_key(&f->json, "address");
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < f->stacks.nr_frames; i++) {
		const struct pp_code *code = code_of(f, i);

		if (code && code->kind == PP_CODE_SYMBOL && code->vma < 1ull << 53)
			pp_json_uint(&f->json, code->vma);
		else
			pp_json_int(&f->json, -1);
	}
	pp_json_end(&f->json, ']');
}

/* Strings: the name of each frame, then the path of each, then the source file of each. */
static int64_t frame_file(const struct firefox *f, size_t i)
{
	const struct pp_code *code = code_of(f, i);

	return code && code->file ? (int64_t)(2 * f->stacks.nr_frames + i) : -1;
}

static int64_t frame_resource(const struct firefox *f, size_t i)
{
	size_t programs = f->stacks.nr_programs;
	const struct pp_code *code = code_of(f, i);

	return code ? (int64_t)code->binary : i < programs ? -1 : (int64_t)(i - programs);
}

static int64_t resource_name(const struct firefox *f, size_t i)
{
	return f->stacks.nr_frames + f->stacks.nr_programs + i;	/* the binary's path */
}

static void add_flags(struct firefox *f, const char *name, size_t nr)
{
	pp_json_key(&f->json, name);
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < nr; i++)
		pp_json_word(&f->json, "false");
	pp_json_end(&f->json, ']');
}

static void add_strings(struct firefox *f)
{
	struct pp_stack_frame frame;

	pp_json_key(&f->json, "stringArray");
	pp_json_begin(&f->json, '[');
	for (int part = 0; part < 3; part++) {
		for (size_t i = 0; i < f->stacks.nr_frames; i++) {
			pp_stack_frame(&f->stacks, i, &frame);
			pp_json_string(&f->json,
				       part == 0			      ? frame.name :
				       part == 1			      ? frame.path :
				       frame.code && frame.code->file ? frame.code->file : "");
		}
	}
	pp_json_end(&f->json, ']');
}

static void add_samples(struct firefox *f, size_t class)
{
	const struct pp_profile *profile = f->stacks.profile;
	size_t nr = 0;

	pp_json_key(&f->json, "samples");
	pp_json_begin(&f->json, '{');
	pp_json_add_string(&f->json, "weightType", "samples");
	pp_json_key(&f->json, "weight");
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++) {
		if (!profile->entries[i].counts[class])
			continue;
		pp_json_uint(&f->json, profile->entries[i].counts[class]);
		nr++;
	}
	pp_json_end(&f->json, ']');
	pp_json_key(&f->json, "stack");
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts[class])
			pp_json_uint(&f->json, f->of_entry[i]);
	pp_json_end(&f->json, ']');
	/* When a sample was taken is not recorded: one after the other, a millisecond apart. */
	pp_json_key(&f->json, "time");
	pp_json_begin(&f->json, '[');
	for (size_t i = 0; i < nr; i++)
		pp_json_uint(&f->json, i);
	pp_json_end(&f->json, ']');
	pp_json_add_uint(&f->json, "length", nr);
	pp_json_end(&f->json, '}');
}

static void add_tables(struct firefox *f)
{
	struct pp_json *json = &f->json;
	size_t frames = f->stacks.nr_frames, binaries = f->stacks.profile->nr_binaries;

	pp_json_key(json, "stackTable");
	pp_json_begin(json, '{');
	add_column(f, "frame", f->nr, stack_frame);
	add_column(f, "prefix", f->nr, stack_prefix);
	add_column(f, "category", f->nr, stack_category);
	add_column(f, "subcategory", f->nr, zero);
	pp_json_add_uint(json, "length", f->nr);
	pp_json_end(json, '}');

	pp_json_key(json, "frameTable");
	pp_json_begin(json, '{');
	add_addresses(f);
	add_column(f, "inlineDepth", frames, zero);
	add_column(f, "category", frames, frame_category);
	add_column(f, "subcategory", frames, zero);
	add_column(f, "func", frames, itself);
	add_column(f, "nativeSymbol", frames, none);
	add_column(f, "innerWindowID", frames, zero);
	add_column(f, "implementation", frames, none);
	add_column(f, "line", frames, frame_line);
	add_column(f, "column", frames, none);
	pp_json_add_uint(json, "length", frames);
	pp_json_end(json, '}');

	pp_json_key(json, "funcTable");
	pp_json_begin(json, '{');
	add_column(f, "name", frames, itself);
	add_flags(f, "isJS", frames);
	add_flags(f, "relevantForJS", frames);
	pp_json_key(json, "resource");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < frames; i++)
		pp_json_int(json, frame_resource(f, i));
	pp_json_end(json, ']');
	add_column(f, "fileName", frames, frame_file);
	add_column(f, "lineNumber", frames, frame_line);
	add_column(f, "columnNumber", frames, none);
	pp_json_add_uint(json, "length", frames);
	pp_json_end(json, '}');

	pp_json_key(json, "resourceTable");
	pp_json_begin(json, '{');
	add_column(f, "lib", binaries, itself);
	add_column(f, "name", binaries, resource_name);
	add_column(f, "host", binaries, none);
	pp_json_key(json, "type");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < binaries; i++)
		pp_json_uint(json, 1);	/* a library */
	pp_json_end(json, ']');
	pp_json_add_uint(json, "length", binaries);
	pp_json_end(json, '}');
}

static void add_empty_tables(struct pp_json *json)
{
	static const char *const markers[] = { "category", "data", "endTime", "name", "phase",
					       "startTime" };
	static const char *const symbols[] = { "address", "functionSize", "libIndex", "name" };

	pp_json_key(json, "markers");
	pp_json_begin(json, '{');
	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		pp_json_key(json, markers[i]);
		pp_json_uints(json, NULL, 0);
	}
	pp_json_add_uint(json, "length", 0);
	pp_json_end(json, '}');
	pp_json_key(json, "nativeSymbols");
	pp_json_begin(json, '{');
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		pp_json_key(json, symbols[i]);
		pp_json_uints(json, NULL, 0);
	}
	pp_json_add_uint(json, "length", 0);
	pp_json_end(json, '}');
}

static void add_word(struct pp_json *json, const char *key, const char *word)
{
	pp_json_key(json, key);
	pp_json_word(json, word);
}

static void add_thread(struct firefox *f, size_t class)
{
	const struct pp_class *c = &f->stacks.report->session->classes.items[class];
	struct pp_json *json = &f->json;
	char label[256];

	pp_class_label(label, sizeof(label), c);
	pp_json_begin(json, '{');
	pp_json_add_string(json, "processType", "default");
	pp_json_add_uint(json, "processStartupTime", 0);
	add_word(json, "processShutdownTime", "null");
	pp_json_add_uint(json, "registerTime", 0);
	add_word(json, "unregisterTime", "null");
	pp_json_key(json, "pausedRanges");
	pp_json_uints(json, NULL, 0);
	pp_json_add_string(json, "name", label);
	add_word(json, "isMainThread", class ? "false" : "true");
	pp_json_add_string(json, "pid", "0");
	pp_json_add_uint(json, "tid", class);
	add_samples(f, class);
	add_tables(f);
	add_empty_tables(json);
	add_strings(f);
	pp_json_end(json, '}');
}

static void add_category(struct pp_json *json, const char *name, const char *color)
{
	pp_json_begin(json, '{');
	pp_json_add_string(json, "name", name);
	pp_json_add_string(json, "color", color);
	pp_json_key(json, "subcategories");
	pp_json_begin(json, '[');
	pp_json_string(json, "Other");
	pp_json_end(json, ']');
	pp_json_end(json, '}');
}

static void add_meta(struct pp_json *json, const struct pp_report *report)
{
	pp_json_key(json, "meta");
	pp_json_begin(json, '{');
	pp_json_add_uint(json, "version", META_VERSION);
	pp_json_add_uint(json, "preprocessedProfileVersion", PROCESSED_VERSION);
	pp_json_add_uint(json, "interval", 1);
	pp_json_add_uint(json, "startTime", 0);
	pp_json_add_uint(json, "processType", 0);
	pp_json_add_uint(json, "stackwalk", 0);
	add_word(json, "debug", "false");
	pp_json_add_string(json, "product", report->command);
	pp_json_add_string(json, "importedFrom", PACKAGE_STRING);
	add_word(json, "symbolicated", "true");
	add_word(json, "doesNotUseFrameImplementation", "true");
	pp_json_key(json, "categories");
	pp_json_begin(json, '[');
	add_category(json, "Other", "grey");
	add_category(json, "User", "yellow");
	add_category(json, "Kernel", "orange");
	pp_json_end(json, ']');
	pp_json_key(json, "markerSchema");
	pp_json_uints(json, NULL, 0);
	pp_json_end(json, '}');
}

static void add_libs(struct pp_json *json, const struct pp_profile *profile)
{
	pp_json_key(json, "libs");
	pp_json_begin(json, '[');
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		const struct pp_binary *binary = &profile->binaries[i];
		const char *id = binary->info.build_id ? binary->info.build_id : "";

		pp_json_begin(json, '{');
		pp_json_add_string(json, "name", binary->title);
		pp_json_add_string(json, "path", binary->title);
		pp_json_add_string(json, "debugName", binary->title);
		pp_json_add_string(json, "debugPath", binary->title);
		pp_json_add_string(json, "breakpadId", id);
		pp_json_add_string(json, "codeId", id);
		pp_json_add_string(json, "arch", "");
		pp_json_end(json, '}');
	}
	pp_json_end(json, ']');
}

static int write_firefox(const struct pp_report *report)
{
	struct firefox f = { .nr = 0 };
	int err = pp_stacks_make(&f.stacks, report);

	if (!err)
		err = make_stacks(&f);
	if (!err) {
		pp_json_init(&f.json, report->out, 3);
		pp_json_begin(&f.json, '{');
		add_meta(&f.json, report);
		add_libs(&f.json, report->profile);
		pp_json_key(&f.json, "pages");
		pp_json_uints(&f.json, NULL, 0);
		pp_json_key(&f.json, "threads");
		pp_json_begin(&f.json, '[');
		for (size_t class = 0; class < report->profile->nr_classes; class++)
			add_thread(&f, class);
		pp_json_end(&f.json, ']');
		pp_json_end(&f.json, '}');
	}
	free(f.items);
	free(f.of_entry);
	pp_stacks_release(&f.stacks);
	return err;
}

const struct pp_format_ops pp_format_firefox = {
	.name = "firefox",
	.what = "JSON for profiler.firefox.com",
	.needs = PP_NEED_SYMBOLS,
	.flags = PP_FORMAT_MANY_AXES,
	.write = write_firefox,
};
