// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firefox.c -- the processed profile format of profiler.firefox.com. Each class of samples is a
 * thread. A table is a set of arrays, one for each column, which refer to rows of other tables by
 * index.
 */
#include "config.h"

#include "libop/base/json.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"
#include "pp/profile/sort.h"

#define META_VERSION		29	/* version of the format that Firefox writes */
/* version of the processed profile format, which this code writes */
#define PROCESSED_VERSION	47

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

struct firefox {
	struct op_json json;
	const struct pp_report *report;
	struct pp_path_names names;
	/* Each node except the root becomes a stack of Firefox's format; each function becomes a
	 * frame. */
	const struct pp_paths *paths;
};

static enum category category_of(const struct firefox *f, size_t frame)
{
	const struct pp_place *place = &f->paths->places[frame];

	if (place->kind != PP_PLACE_CODE && place->kind != PP_PLACE_INLINED &&
	    place->kind != PP_PLACE_IMAGE)
		return CATEGORY_OTHER;
	return place->is_kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

/* Write a column of @nr values, @value(0) to @value(@nr - 1). Write null for -1. */
static void add_column(struct firefox *f, const char *name, size_t nr,
		       int64_t (*value)(const struct firefox *f, size_t i))
{
	op_json_begin_key(&f->json, name, '[');
	for (size_t i = 0; i < nr; i++) {
		int64_t n = value(f, i);

		if (n < 0)
			op_json_word(&f->json, "null");
		else
			op_json_int(&f->json, n);
	}
	op_json_end(&f->json, ']');
}

static int64_t no_index(const struct firefox *f, size_t i)
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
	return f->paths->nodes[i + 1].place;
}

static int64_t stack_prefix(const struct firefox *f, size_t i)
{
	/* Return -1, no parent, for a child of the root; else the index of the stack that the
	 * parent node became. */
	return (int64_t)f->paths->nodes[i + 1].parent - 1;
}

static int64_t stack_category(const struct firefox *f, size_t i)
{
	return category_of(f, f->paths->nodes[i + 1].place);
}

static int64_t frame_category(const struct firefox *f, size_t i)
{
	return category_of(f, i);
}

static const struct pp_code *code_of(const struct firefox *f, size_t frame)
{
	return pp_path_place_code(&f->names, frame);
}

static int64_t frame_line(const struct firefox *f, size_t i)
{
	const struct pp_code *code = code_of(f, i);

	return code && code->line ? (int64_t)code->line : -1;
}

/* Write the addresses of frames. Write -1 (unknown) for an address that a JavaScript number cannot
 * represent exactly. */
static void add_addresses(struct firefox *f)
{
	op_json_begin_key(&f->json, "address", '[');
	for (size_t i = 0; i < f->paths->nr_places; i++) {
		const struct pp_code *code = code_of(f, i);

		if (code && pp_code_has_address(f->report->profile, code) && code->vma < 1ull << 53)
			op_json_uint(&f->json, code->vma);
		else
			op_json_int(&f->json, -1);
	}
	op_json_end(&f->json, ']');
}

/* Return the index of the source file of frame @i in the table of strings. The table has the names,
 * then the paths, then the source files of all frames. */
static int64_t frame_file(const struct firefox *f, size_t i)
{
	const struct pp_code *code = code_of(f, i);

	return code && code->file ? (int64_t)(2 * f->paths->nr_places + i) : -1;
}

static int64_t frame_resource(const struct firefox *f, size_t i)
{
	const struct pp_place *place = &f->paths->places[i];

	if (place->kind == PP_PLACE_CODE || place->kind == PP_PLACE_INLINED)
		return f->report->profile->codes[place->code].binary;
	return place->kind == PP_PLACE_IMAGE ? (int64_t)place->binary : -1;
}

/* Return the index of binary @i's name in the table of strings. Names of binaries follow the
 * strings of frames. */
static int64_t resource_name(const struct firefox *f, size_t i)
{
	return 3 * f->paths->nr_places + i;
}

static void add_flags(struct firefox *f, const char *name, size_t nr)
{
	op_json_begin_key(&f->json, name, '[');
	for (size_t i = 0; i < nr; i++)
		op_json_word(&f->json, "false");
	op_json_end(&f->json, ']');
}

static void add_strings(struct firefox *f)
{
	const struct pp_profile *profile = f->report->profile;

	op_json_begin_key(&f->json, "stringArray", '[');
	for (int part = 0; part < 3; part++) {
		for (size_t i = 0; i < f->paths->nr_places; i++) {
			const struct pp_code *code = code_of(f, i);

			op_json_string(&f->json, part == 0 ? pp_path_name(&f->names, i) :
						 part == 1 ? pp_path_place_path(&f->names, i) :
						 code && code->file ? code->file : "");
		}
	}
	for (size_t i = 0; i < profile->nr_binaries; i++)
		op_json_string(&f->json, profile->binaries[i].title);
	op_json_end(&f->json, ']');
}

static bool has_samples(const struct firefox *f, size_t node, size_t at)
{
	const struct pp_path_node *n = &f->paths->nodes[node];
	const struct pp_profile *profile = f->report->profile;

	return n->self && n->self[at] &&
	       pp_reaches(n->total, profile->totals, profile->nr_counts,
			  f->report->options->threshold);
}

static void add_samples(struct firefox *f, size_t side, size_t class)
{
	const size_t at = pp_side_at(f->report, side) + class;
	size_t nr = 0;

	op_json_begin_key(&f->json, "samples", '{');
	op_json_add_string(&f->json, "weightType",
			   pp_class_unit(&f->report->session->classes.items[class]));
	op_json_begin_key(&f->json, "weight", '[');
	for (size_t i = 1; i < f->paths->nr_nodes; i++) {
		if (!has_samples(f, i, at))
			continue;
		op_json_uint(&f->json, f->paths->nodes[i].self[at]);
		nr++;
	}
	op_json_end(&f->json, ']');
	op_json_begin_key(&f->json, "stack", '[');
	for (size_t i = 1; i < f->paths->nr_nodes; i++)
		if (has_samples(f, i, at))
			op_json_uint(&f->json, i - 1);
	op_json_end(&f->json, ']');
	/* The format requires times of samples, which are not recorded: put one sample into each
	 * millisecond. */
	op_json_begin_key(&f->json, "time", '[');
	for (size_t i = 0; i < nr; i++)
		op_json_uint(&f->json, i);
	op_json_end(&f->json, ']');
	op_json_add_uint(&f->json, "length", nr);
	op_json_end(&f->json, '}');
}

static void add_tables(struct firefox *f)
{
	struct op_json *json = &f->json;
	size_t frames = f->paths->nr_places, binaries = f->report->profile->nr_binaries;

	op_json_begin_key(json, "stackTable", '{');
	add_column(f, "frame", f->paths->nr_nodes - 1, stack_frame);
	add_column(f, "prefix", f->paths->nr_nodes - 1, stack_prefix);
	add_column(f, "category", f->paths->nr_nodes - 1, stack_category);
	add_column(f, "subcategory", f->paths->nr_nodes - 1, zero);
	op_json_add_uint(json, "length", f->paths->nr_nodes - 1);
	op_json_end(json, '}');

	op_json_begin_key(json, "frameTable", '{');
	add_addresses(f);
	add_column(f, "inlineDepth", frames, zero);
	add_column(f, "category", frames, frame_category);
	add_column(f, "subcategory", frames, zero);
	add_column(f, "func", frames, itself);
	add_column(f, "nativeSymbol", frames, no_index);
	add_column(f, "innerWindowID", frames, zero);
	add_column(f, "implementation", frames, no_index);
	add_column(f, "line", frames, frame_line);
	add_column(f, "column", frames, no_index);
	op_json_add_uint(json, "length", frames);
	op_json_end(json, '}');

	op_json_begin_key(json, "funcTable", '{');
	add_column(f, "name", frames, itself);
	add_flags(f, "isJS", frames);
	add_flags(f, "relevantForJS", frames);
	op_json_begin_key(json, "resource", '[');
	for (size_t i = 0; i < frames; i++)
		op_json_int(json, frame_resource(f, i));
	op_json_end(json, ']');
	add_column(f, "fileName", frames, frame_file);
	add_column(f, "lineNumber", frames, frame_line);
	add_column(f, "columnNumber", frames, no_index);
	op_json_add_uint(json, "length", frames);
	op_json_end(json, '}');

	op_json_begin_key(json, "resourceTable", '{');
	add_column(f, "lib", binaries, itself);
	add_column(f, "name", binaries, resource_name);
	add_column(f, "host", binaries, no_index);
	op_json_begin_key(json, "type", '[');
	for (size_t i = 0; i < binaries; i++)
		/* number for the type "library" in Firefox's table of resources */
		op_json_uint(json, 1);
	op_json_end(json, ']');
	op_json_add_uint(json, "length", binaries);
	op_json_end(json, '}');
}

static void add_empty_tables(struct op_json *json)
{
	static const char *const markers[] = { "category", "data", "endTime", "name", "phase",
					       "startTime" };
	static const char *const symbols[] = { "address", "functionSize", "libIndex", "name" };

	op_json_begin_key(json, "markers", '{');
	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		op_json_key(json, markers[i]);
		op_json_uints(json, NULL, 0);
	}
	op_json_add_uint(json, "length", 0);
	op_json_end(json, '}');
	op_json_begin_key(json, "nativeSymbols", '{');
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		op_json_key(json, symbols[i]);
		op_json_uints(json, NULL, 0);
	}
	op_json_add_uint(json, "length", 0);
	op_json_end(json, '}');
}

static void add_word(struct op_json *json, const char *key, const char *word)
{
	op_json_key(json, key);
	op_json_word(json, word);
}

/* Add a thread for one class of samples (an event on a CPU, for example) of one side (before or
 * after). */
static void add_thread(struct firefox *f, size_t side, size_t class)
{
	struct op_json *json = &f->json;
	char label[256];

	pp_side_label(label, sizeof(label), f->report, side, class);
	op_json_begin(json, '{');
	op_json_add_string(json, "processType", "default");
	op_json_add_uint(json, "processStartupTime", 0);
	add_word(json, "processShutdownTime", "null");
	op_json_add_uint(json, "registerTime", 0);
	add_word(json, "unregisterTime", "null");
	op_json_key(json, "pausedRanges");
	op_json_uints(json, NULL, 0);
	op_json_add_string(json, "name", pp_sums_label(label, sizeof(label)));
	add_word(json, "isMainThread", class || side ? "false" : "true");
	op_json_add_string(json, "pid", "0");
	op_json_add_uint(json, "tid", class * pp_nr_sides(f->report) + side);
	add_samples(f, side, class);
	add_tables(f);
	add_empty_tables(json);
	add_strings(f);
	op_json_end(json, '}');
}

static void add_category(struct op_json *json, const char *name, const char *color)
{
	op_json_begin(json, '{');
	op_json_add_string(json, "name", name);
	op_json_add_string(json, "color", color);
	op_json_begin_key(json, "subcategories", '[');
	op_json_string(json, "Other");
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static void add_meta(struct op_json *json, const struct pp_report *report)
{
	op_json_begin_key(json, "meta", '{');
	op_json_add_uint(json, "version", META_VERSION);
	op_json_add_uint(json, "preprocessedProfileVersion", PROCESSED_VERSION);
	op_json_add_uint(json, "interval", 1);
	op_json_add_uint(json, "startTime", 0);
	op_json_add_uint(json, "processType", 0);
	op_json_add_uint(json, "stackwalk", 0);
	add_word(json, "debug", "false");
	op_json_add_string(json, "product", report->command);
	op_json_add_string(json, "importedFrom", PACKAGE_STRING);
	add_word(json, "symbolicated", "true");
	add_word(json, "doesNotUseFrameImplementation", "true");
	op_json_begin_key(json, "categories", '[');
	add_category(json, "Other", "grey");
	add_category(json, "User", "yellow");
	add_category(json, "Kernel", "orange");
	op_json_end(json, ']');
	op_json_key(json, "markerSchema");
	op_json_uints(json, NULL, 0);
	op_json_end(json, '}');
}

static void add_libs(struct op_json *json, const struct pp_profile *profile)
{
	op_json_begin_key(json, "libs", '[');
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		const struct pp_binary *binary = &profile->binaries[i];
		const char *id = binary->info.build_id ? binary->info.build_id : "";

		op_json_begin(json, '{');
		op_json_add_string(json, "name", binary->title);
		op_json_add_string(json, "path", binary->title);
		op_json_add_string(json, "debugName", binary->title);
		op_json_add_string(json, "debugPath", binary->title);
		op_json_add_string(json, "breakpadId", id);
		op_json_add_string(json, "codeId", id);
		op_json_add_string(json, "arch", "");
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
}

static int write_firefox(const struct pp_report *report)
{
	struct firefox f = { .report = report };
	int err = pp_path_names_make_significant(&f.names, report);

	if (err)
		return err;
	f.paths = f.names.paths;
	op_json_init(&f.json, report->out, 3);
	op_json_begin(&f.json, '{');
	add_meta(&f.json, report);
	add_libs(&f.json, report->profile);
	op_json_key(&f.json, "pages");
	op_json_uints(&f.json, NULL, 0);
	op_json_begin_key(&f.json, "threads", '[');
	for (size_t class = 0; class < report->profile->nr_classes; class++)
		for (size_t side = 0; side < pp_nr_sides(report); side++)
			add_thread(&f, side, class);
	op_json_end(&f.json, ']');
	op_json_end(&f.json, '}');
	pp_path_names_release(&f.names);
	return 0;
}

const struct pp_format_ops pp_format_firefox = {
	.name = "firefox",
	.what = "JSON for profiler.firefox.com",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF | PP_FORMAT_PRUNES,
	.write = write_firefox,
};
