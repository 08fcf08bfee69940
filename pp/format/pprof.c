// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof.c -- a profile for pprof: the messages of its profile.proto, compressed.
 *
 * With call paths, a sample is a path, and each function is a location. Without call paths, a
 * sample is an address or, without --details, a function, and its caller is the program. Each
 * address is a location with a line for each function inlined there, innermost first. Binaries are
 * mappings. Messages are written when they are complete. Strings are written and numbered at their
 * first use, which the format allows.
 */
#include "config.h"
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/event/spec.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"
#include "pp/format/protobuf.h"
#include "pp/image/demangle.h"
#include "pp/profile/arcs.h"
#include "pp/profile/sort.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
	PROFILE_FUNCTION, PROFILE_STRING, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD,
	PROFILE_COMMENT, PROFILE_DEFAULT_TYPE,
};

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STRING };
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum line_field { LINE_FUNCTION = 1, LINE_LINE };

enum mapping_field {
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
	MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
};

enum function_field {
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START_LINE,
};

/* An inlined function that was written to the profile. */
struct inlined {
	const char *name, *file;	/* linkage name of the function, and its source file */
	uint64_t id;
};

struct pprof {
	const struct pp_report *report;
	struct pp_stacks stacks;
	struct pp_gzip *gzip;
	/* buffers for protobuf messages that are being composed */
	struct pp_message message, inside, whole;
	uint64_t nr_strings, nr_locations, nr_functions;
	/* string numbers of the label (key and value) that marks samples before, in a differential
	 * profile */
	uint64_t base_key, base_value;
	/* for each function of the profile: number of its protobuf function and location; 0: not
	 * written yet */
	uint64_t *function_of, *location_of;
	uint64_t *program_location;		/* for each program: number of its pprof location */
	/* names of the tree's nodes; set only if the profile has call paths */
	struct pp_path_names names;
	uint64_t *location_of_place;
	void *inlined;				/* root of a tsearch() tree of struct inlined */
	struct pp_demangler demangler;		/* demangler for names of inlined functions */
	struct pp_block *strings;
	bool failed;
};

/* Write the message @message as the field @field of the top-level message, the profile. */
static void put(struct pprof *p, unsigned int field, const struct pp_message *message)
{
	pp_message_clear(&p->whole);
	pp_message_add_message(&p->whole, field, message);
	if (p->whole.failed)
		p->failed = true;
	else
		pp_gzip_write(p->gzip, p->whole.bytes, p->whole.nr);
}

/* Write a string to the table of strings, and return its number. */
static uint64_t put_string(struct pprof *p, const char *text)
{
	char buf[OP_CLEAN_MAX];

	pp_message_clear(&p->whole);
	pp_message_add_string(&p->whole, PROFILE_STRING, op_clean(buf, sizeof(buf), text));
	if (p->whole.failed)
		p->failed = true;
	else
		pp_gzip_write(p->gzip, p->whole.bytes, p->whole.nr);
	return p->nr_strings++;
}

static void put_value_type(struct pprof *p, unsigned int field, const char *type, const char *unit)
{
	uint64_t t = put_string(p, type), u = put_string(p, unit);

	pp_message_clear(&p->message);
	pp_message_add_uint(&p->message, VALUE_TYPE_TYPE, t);
	pp_message_add_uint(&p->message, VALUE_TYPE_UNIT, u);
	put(p, field, &p->message);
}

static void put_number(struct pprof *p, unsigned int field, uint64_t n)
{
	pp_message_clear(&p->whole);
	pp_message_add_uint(&p->whole, field, n);
	if (p->whole.nr)
		pp_gzip_write(p->gzip, p->whole.bytes, p->whole.nr);
}

static void put_types(struct pprof *p)
{
	const struct pp_classes *classes = &p->report->session->classes;
	const struct pp_class *first = classes->items;
	const char *unit;
	char label[256];

	for (size_t i = 0; i < classes->nr; i++) {
		pp_class_label(label, sizeof(label), &classes->items[i]);
		pp_class_weight(&classes->items[i], &unit);
		put_value_type(p, PROFILE_SAMPLE_TYPE, label, *unit ? unit : "samples");
	}
	if (!strcmp(first->event, OP_EVENT_TIMER))
		put_value_type(p, PROFILE_PERIOD_TYPE, "time", "nanoseconds");
	else
		put_value_type(p, PROFILE_PERIOD_TYPE, first->event, "count");
	put_number(p, PROFILE_PERIOD, first->count);
	pp_class_label(label, sizeof(label), first);
	put_number(p, PROFILE_DEFAULT_TYPE, put_string(p, label));
}

static void put_comments(struct pprof *p)
{
	const struct op_session_stats *stats = &p->report->session->stats;
	char text[512];

	put_number(p, PROFILE_COMMENT, put_string(p, p->report->command));
	if (!p->report->session->has_stats)
		return;
	snprintf(text, sizeof(text), "samples taken %llu, stored %llu, lost %llu",
		 (unsigned long long)op_session_stats_sum(stats, OP_STAT_TAKEN),
		 (unsigned long long)op_session_stats_sum(stats, OP_STAT_STORED),
		 (unsigned long long)op_session_stats_sum(stats, OP_STAT_LOSS));
	put_number(p, PROFILE_COMMENT, put_string(p, text));
}

/* Write the mapping of a binary. Each mapping covers the whole address space, because locations
 * refer to their mapping by number. */
static void put_mapping(struct pprof *p, size_t index)
{
	const struct pp_binary *binary = &p->report->profile->binaries[index];
	uint64_t name = put_string(p, binary->title);
	uint64_t id = binary->info.build_id ? put_string(p, binary->info.build_id) : 0;

	pp_message_clear(&p->message);
	pp_message_add_uint(&p->message, MAPPING_ID, index + 1);
	pp_message_add_uint(&p->message, MAPPING_LIMIT, UINT64_MAX);
	pp_message_add_uint(&p->message, MAPPING_FILE, name);
	pp_message_add_uint(&p->message, MAPPING_BUILD_ID, id);
	pp_message_add_uint(&p->message, MAPPING_HAS_FUNCTIONS, 1);
	pp_message_add_uint(&p->message, MAPPING_HAS_FILES, p->report->options->debug_info);
	pp_message_add_uint(&p->message, MAPPING_HAS_LINES, p->report->options->debug_info);
	pp_message_add_uint(&p->message, MAPPING_HAS_INLINES, p->report->options->debug_info);
	put(p, PROFILE_MAPPING, &p->message);
}

struct ranked {
	uint64_t samples;
	size_t binary;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

/* Write all mappings, the binary with most samples first, because pprof assumes that the first
 * mapping is the main binary. */
static int put_mappings(struct pprof *p)
{
	const struct pp_profile *profile = p->report->profile;
	struct ranked *ranked = calloc(profile->nr_binaries + 1, sizeof(*ranked));

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_binaries; i++)
		ranked[i].binary = i;
	for (size_t i = 0; i < profile->nr_groups; i++)
		ranked[profile->groups[i].binary].samples += profile->groups[i].counts[0];
	qsort(ranked, profile->nr_binaries, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < profile->nr_binaries; i++)
		put_mapping(p, ranked[i].binary);
	free(ranked);
	return 0;
}

/*
 * Write a function. @raw: linkage name; NULL: unknown, or the same as @name. If name and system
 * name are equal, pprof changes the name: it demangles it or strips template arguments and
 * parameters. To prevent this, write an empty system name if @name has brackets and is not the
 * linkage name.
 */
static uint64_t put_function(struct pprof *p, const char *name, const char *raw, const char *file,
			     uint32_t line)
{
	uint64_t n = put_string(p, name), r = raw && strcmp(raw, name) ? put_string(p, raw)
					      : strpbrk(name, "<(")    ? 0
								       : n;
	uint64_t f = file ? put_string(p, file) : 0;

	pp_message_clear(&p->message);
	pp_message_add_uint(&p->message, FUNCTION_ID, ++p->nr_functions);
	pp_message_add_uint(&p->message, FUNCTION_NAME, n);
	pp_message_add_uint(&p->message, FUNCTION_SYSTEM_NAME, r);
	pp_message_add_uint(&p->message, FUNCTION_FILE, f);
	pp_message_add_uint(&p->message, FUNCTION_START_LINE, line);
	put(p, PROFILE_FUNCTION, &p->message);
	return p->nr_functions;
}

static uint64_t code_function(struct pprof *p, uint32_t index)
{
	const struct pp_code *code = &p->report->profile->codes[index];

	if (!p->function_of[index])
		p->function_of[index] = put_function(p, pp_stack_code_name(&p->stacks, code),
						     code->raw, code->file, code->line);
	return p->function_of[index];
}

static int compare_inlined(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : strcmp(x->file ? x->file : "", y->file ? y->file : "");
}

static uint64_t inlined_function(struct pprof *p, const struct pp_frame *frame)
{
	struct inlined key = { frame->function, frame->file, 0 }, *new, **found;
	const char *name;

	found = tfind(&key, &p->inlined, compare_inlined);
	if (found)
		return (*found)->id;
	new = malloc(sizeof(*new));
	name = pp_demangle(&p->demangler, frame->function, PP_DEMANGLE_NORMAL);
	if (new)
		*new = key;
	if (!new || !name || !tsearch(new, &p->inlined, compare_inlined)) {
		free(new);
		p->failed = true;
		return 0;
	}
	new->id = put_function(p, name, frame->function, frame->file, 0);
	return new->id;
}

/* Add a source line to the location in p->message, innermost line first. The line's function must
 * already be written. */
static void add_line(struct pprof *p, uint64_t function, uint32_t line)
{
	pp_message_clear(&p->inside);
	pp_message_add_uint(&p->inside, LINE_FUNCTION, function);
	pp_message_add_uint(&p->inside, LINE_LINE, line);
	pp_message_add_message(&p->message, LOCATION_LINE, &p->inside);
}

static uint64_t put_location(struct pprof *p, uint64_t mapping, uint64_t address,
			     uint64_t function, const struct pp_frames *frames, uint32_t line)
{
	uint64_t functions[PP_MAX_FRAMES];
	size_t nr = frames ? frames->nr : 0;

	for (size_t i = 0; i < nr; i++)
		functions[i] = frames->items[i].function ?
				       inlined_function(p, &frames->items[i]) : function;
	pp_message_clear(&p->message);
	pp_message_add_uint(&p->message, LOCATION_ID, ++p->nr_locations);
	pp_message_add_uint(&p->message, LOCATION_MAPPING, mapping);
	pp_message_add_uint(&p->message, LOCATION_ADDRESS, address);
	for (size_t i = 0; i < nr; i++)
		add_line(p, functions[i], frames->items[i].line);
	if (!nr)
		add_line(p, function, line);
	put(p, PROFILE_LOCATION, &p->message);
	return p->nr_locations;
}

static uint64_t program_location(struct pprof *p, uint32_t program)
{
	const char *path = p->stacks.programs[program];
	uint64_t function;

	if (p->program_location[program])
		return p->program_location[program];
	function = put_function(p, pp_stack_title(&p->stacks, path), path, NULL, 0);
	p->program_location[program] = put_location(p, 0, 0, function, NULL, 0);
	return p->program_location[program];
}

/* Write a sample of one side (before or after), unless its counts are 0. In a differential profile,
 * values before are negative and have the label by which pprof -diff_base marks a base. So pprof
 * shows differences, and shares of the base. */
static void put_side(struct pprof *p, const uint64_t *stack, size_t nr, const uint64_t *counts,
		     size_t side)
{
	const struct pp_classes *classes = &p->report->session->classes;
	bool is_base = p->report->before && !side;
	uint64_t values[PP_MAX_CLASSES];
	const char *unit;

	counts += pp_side_at(p->report, side);
	if (!pp_has_counts(counts, classes->nr))
		return;
	for (size_t i = 0; i < classes->nr; i++) {
		values[i] = counts[i] * pp_class_weight(&classes->items[i], &unit);
		if (is_base)
			values[i] = -values[i];
	}
	pp_message_clear(&p->message);
	pp_message_add_packed(&p->message, SAMPLE_LOCATION, stack, nr);
	pp_message_add_packed(&p->message, SAMPLE_VALUE, values, classes->nr);
	if (is_base) {
		pp_message_clear(&p->inside);
		pp_message_add_uint(&p->inside, LABEL_KEY, p->base_key);
		pp_message_add_uint(&p->inside, LABEL_STRING, p->base_value);
		pp_message_add_message(&p->message, SAMPLE_LABEL, &p->inside);
	}
	put(p, PROFILE_SAMPLE, &p->message);
}

/* Write the samples of a call stack. @stack: numbers of locations, innermost first. */
static void put_stack(struct pprof *p, const uint64_t *stack, size_t nr, const uint64_t *counts)
{
	for (size_t side = 0; side < pp_nr_sides(p->report); side++)
		put_side(p, stack, nr, counts, side);
}

static void put_sample(struct pprof *p, uint64_t location, uint32_t program, const uint64_t *counts)
{
	const uint64_t stack[2] = { location, program_location(p, program) };

	put_stack(p, stack, 2, counts);
}

static bool is_empty(const struct pprof *p, const uint64_t *counts)
{
	return !pp_has_counts(counts, pp_shown_counts(p->report->profile));
}

static void put_entry(struct pprof *p, const struct pp_entry *entry)
{
	const struct pp_profile *profile = p->report->profile;
	const struct pp_details *details = pp_entry_details(profile, entry);
	const struct pp_code *code = pp_entry_code(profile, entry);
	uint32_t program = p->stacks.program_of[entry->group];
	uint64_t mapping = code->binary + 1, function = code_function(p, entry->code);

	if (is_empty(p, entry->counts))
		return;
	if (!details) {
		if (!p->location_of[entry->code])
			p->location_of[entry->code] = put_location(p, mapping, code->vma, function,
								   NULL, code->line);
		put_sample(p, p->location_of[entry->code], program, entry->counts);
		return;
	}
	for (size_t i = 0; i < details->nr; i++) {
		uint64_t location;

		if (is_empty(p, details->items[i].counts))
			continue;
		location = put_location(p, mapping, details->items[i].vma, function,
					details->frames ? &details->frames[i] : NULL, 0);
		put_sample(p, location, program, details->items[i].counts);
	}
}

/* Return the number of the location for a place: a function, a program, or the reason why a path is
 * incomplete. Write the location at its first use. */
static uint64_t place_location(struct pprof *p, uint32_t index)
{
	const struct pp_code *code = pp_path_place_code(&p->names, index);
	const struct pp_place *place = &p->names.paths->places[index];
	uint64_t function, mapping = 0;

	if (p->location_of_place[index])
		return p->location_of_place[index];
	if (place->code != PP_NO_CODE)
		mapping = p->report->profile->codes[place->code].binary + 1;
	function = put_function(p, pp_path_name(&p->names, index), code ? code->raw : place->raw,
				code ? code->file : NULL, code ? code->line : 0);
	p->location_of_place[index] = put_location(p, mapping, code ? code->vma : 0, function, NULL,
						   code ? code->line : 0);
	return p->location_of_place[index];
}

/* Write a pprof sample for each tree node with samples: the path from the node to the root. */
static int put_paths(struct pprof *p)
{
	const struct pp_paths *paths = p->report->profile->paths;
	const struct pp_profile *profile = p->report->profile;
	uint64_t stack[PP_PATH_MAX_DEPTH + 3];
	int err = pp_path_names_make(&p->names, p->report);

	p->location_of_place = calloc(paths->nr_places + 1, sizeof(*p->location_of_place));
	if (!err && !p->location_of_place)
		err = -ENOMEM;
	for (size_t i = 1; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		size_t nr = 0;

		if (!node->self || is_empty(p, node->self) ||
		    !pp_reaches(node->total, profile->totals, profile->nr_counts,
				p->report->options->threshold))
			continue;
		for (uint32_t at = i; at != PP_PATH_ROOT; at = paths->nodes[at].parent)
			stack[nr++] = place_location(p, paths->nodes[at].place);
		put_stack(p, stack, nr, node->self);
	}
	free(p->location_of_place);
	pp_path_names_release(&p->names);
	return err;
}

static int prepare(struct pprof *p)
{
	int err;

	pp_demangler_init(&p->demangler, &p->strings);
	err = pp_stacks_make(&p->stacks, p->report);
	if (err)
		return err;
	p->gzip = pp_gzip_open(p->report->out);
	p->function_of = calloc(p->report->profile->nr_codes + 1, sizeof(*p->function_of));
	p->location_of = calloc(p->report->profile->nr_codes + 1, sizeof(*p->location_of));
	p->program_location = calloc(p->stacks.nr_programs + 1, sizeof(*p->program_location));
	if (p->gzip && p->function_of && p->location_of && p->program_location)
		return 0;
	return -ENOMEM;
}

static void release(struct pprof *p)
{
	pp_gzip_close(p->gzip);
	tdestroy(p->inlined, free);
	pp_demangler_release(&p->demangler);
	pp_block_free(p->strings);
	pp_message_release(&p->message);
	pp_message_release(&p->inside);
	pp_message_release(&p->whole);
	free(p->function_of);
	free(p->location_of);
	free(p->program_location);
	pp_stacks_release(&p->stacks);
}

static int write_pprof(const struct pp_report *report)
{
	struct pprof p = { .report = report };
	int err = prepare(&p);

	if (!err) {
		put_string(&p, "");	/* the format requires that string 0 is empty */
		if (report->before) {
			p.base_key = put_string(&p, "pprof::base");
			p.base_value = put_string(&p, "true");
		}
		put_types(&p);
		put_comments(&p);
		err = put_mappings(&p);
	}
	if (!err) {
		if (report->profile->paths)
			err = put_paths(&p);
		for (size_t i = 0; !report->profile->paths && i < report->profile->nr_entries; i++)
			put_entry(&p, &report->profile->entries[i]);
		if (!err && (p.failed || p.message.failed || p.inside.failed))
			err = -ENOMEM;
	}
	release(&p);
	return err;
}

const struct pp_format_ops pp_format_pprof = {
	.name = "pprof",
	.what = "protocol buffers for pprof, compressed",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS | PP_NEED_RAW_NAMES,
	.flags = PP_FORMAT_BINARY | PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF,
	.write = write_pprof,
};
