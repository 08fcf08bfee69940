// SPDX-License-Identifier: GPL-2.0-or-later
/* json.c -- the report as JSON (doc/formats.md). */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/json.h"
#include "libop/session/cgroup.h"
#include "pp/format/facts.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"
#include "pp/format/walk.h"

/* Write the place (function, program or the like) number @index of the tree of call paths. Set
 * used[code] if it is a function. */
static void put_place(struct op_json *json, const struct pp_path_names *names, uint32_t index,
		      uint8_t *used)
{
	static const char *const kinds[] = {
		[PP_PLACE_ROOT] = "root", [PP_PLACE_PROGRAM] = "program", [PP_PLACE_IMAGE] = "image",
		[PP_PLACE_CODE] = "symbol", [PP_PLACE_INLINED] = "inlined", [PP_PLACE_WAKER] = "waker",
		[PP_PLACE_SHORT] = "short",
		[PP_PLACE_FOLDED] = "folded", [PP_PLACE_LOST] = "lost", [PP_PLACE_UNKNOWN] = "unknown",
		[PP_PLACE_TOO_DEEP] = "too deep", [PP_PLACE_NO_PATH] = "no path",
	};
	const struct pp_place *place = &names->paths->places[index];

	op_json_begin(json, '{');
	op_json_add_string(json, "name", pp_path_name(names, index));
	op_json_add_string(json, "kind", kinds[place->kind]);
	if (place->kind == PP_PLACE_CODE || place->kind == PP_PLACE_INLINED ||
	    place->kind == PP_PLACE_WAKER) {
		op_json_add_uint(json, "symbol", place->code);
		used[place->code] = 1;
	}
	op_json_end(json, '}');
}

/* Write the members "pid", "tid" and "task" to the open object, but omit unknown members. */
static void json_task(struct op_json *json, const struct pp_walk_task *task)
{
	if (task->tgid != OP_ALL)
		op_json_add_uint(json, "pid", task->tgid);
	if (task->tid != OP_ALL)
		op_json_add_uint(json, "tid", task->tid);
	if (task->name)
		op_json_add_string(json, "task", task->name);
}

struct path_writer {
	struct op_json *json;
	const struct pp_walk *walk;
	const struct pp_paths *paths;
	/* for each node of the tree: its number in the list of the process or thread */
	uint32_t *numbers;
	uint32_t nr; /* number of nodes written to the list of the current process or thread */
	uint64_t *counts; /* counts of the node that is being written, a number for each column */
};

static void put_node(struct path_writer *w, const struct pp_path_node *node, size_t task)
{
	struct op_json *json = w->json;

	op_json_begin(json, '{');
	if (node != &w->paths->nodes[PP_PATH_ROOT])
		op_json_add_uint(json, "parent", w->numbers[node->parent]);
	op_json_add_uint(json, "place", node->place);
	if (node->depth == 1)
		json_task(json, &w->walk->tasks[task]);
	if (node->self && pp_walk_task_counts(w->walk, task, node->self, w->counts)) {
		op_json_key(json, "counts");
		op_json_uints(json, w->counts, w->walk->nr_columns);
		if (pp_walk_before(w->walk, w->counts)) {
			op_json_key(json, "before");
			op_json_uints(json, pp_walk_before(w->walk, w->counts),
				      w->walk->nr_columns);
		}
	}
	op_json_end(json, '}');
}

/* Columns do not distinguish processes and threads, so write separate nodes for each of them. */
static void put_nodes(struct path_writer *w)
{
	for (size_t task = 0; task < w->walk->nr_tasks; task++) {
		for (size_t i = 0; i < w->paths->nr_nodes; i++) {
			const struct pp_path_node *node = &w->paths->nodes[i];

			if (i == PP_PATH_ROOT
				    ? task
				    : !pp_walk_task_counts(w->walk, task, node->total, w->counts))
				continue;
			w->numbers[i] = w->nr++;
			put_node(w, node, task);
		}
	}
}

/* Write the member "paths" of the open object. Set @used[code] for each code (function) that occurs
 * in the paths. Return 0 or -ENOMEM. */
static int json_paths(struct op_json *json, const struct pp_walk *walk, uint8_t *used)
{
	struct pp_path_names names;
	struct path_writer writer = { .json = json, .walk = walk };
	int err = pp_path_names_make(&names, walk->report);

	if (err)
		return err;
	writer.paths = names.paths;
	writer.numbers = calloc(names.paths->nr_nodes + 1, sizeof(*writer.numbers));
	writer.counts = calloc(pp_walk_nr_counts(walk) + 1, sizeof(*writer.counts));
	if (writer.numbers && writer.counts) {
		op_json_begin_key(json, "paths", '{');
		op_json_begin_key(json, "places", '[');
		for (size_t i = 0; i < names.paths->nr_places; i++)
			put_place(json, &names, i, used);
		op_json_end(json, ']');
		op_json_begin_key(json, "nodes", '[');
		put_nodes(&writer);
		op_json_end(json, ']');
		op_json_end(json, '}');
	} else {
		err = -ENOMEM;
	}
	free(writer.numbers);
	free(writer.counts);
	pp_path_names_release(&names);
	return err;
}

#define LINES	6	/* number of nesting levels at which each JSON value begins a new line */

struct writer {
	struct op_json json;
	/* for each code (function): whether a symbol in the output refers to it */
	uint8_t *used;
	bool in_arcs;
	int err;
};

/* Write the confidence interval of a change, or null if no interval exists. */
static void add_interval(struct op_json *json, const struct pp_walk *walk, const uint64_t *counts,
			 size_t column)
{
	struct pp_interval change;

	if (!pp_walk_interval(&change, walk, counts, column)) {
		op_json_word(json, "null");
		return;
	}
	op_json_begin(json, '[');
	op_json_double(json, change.low);
	if (isfinite(change.high))
		op_json_double(json, change.high);
	else
		op_json_word(json, "null");
	op_json_end(json, ']');
}

static void add_counts(struct op_json *json, const struct pp_walk *walk, const uint64_t *counts)
{
	const uint64_t *before = pp_walk_before(walk, counts);

	op_json_key(json, "counts");
	op_json_uints(json, counts, walk->nr_columns);
	if (!before)
		return;
	op_json_key(json, "before");
	op_json_uints(json, before, walk->nr_columns);
	op_json_add_string(json, "change", pp_walk_change(walk, counts));
	op_json_begin_key(json, "interval", '[');
	for (size_t i = 0; i < walk->nr_columns; i++)
		add_interval(json, walk, counts, i);
	op_json_end(json, ']');
}

static void add_id(struct op_json *json, const char *key, int id)
{
	if (id != OP_ALL)
		op_json_add_uint(json, key, id);
}

static void add_columns(struct op_json *json, const struct pp_walk *walk)
{
	op_json_begin_key(json, "columns", '[');
	for (size_t i = 0; i < walk->nr_columns; i++) {
		const struct pp_column *c = &walk->columns[i];
		char title[256];

		pp_column_title(title, sizeof(title), c);
		op_json_begin(json, '{');
		op_json_add_string(json, "title", title);
		op_json_add_string(json, "event", c->event);
		op_json_add_uint(json, "count", c->count);
		op_json_add_uint(json, "unit_mask", c->um);
		if (strcmp(c->unit, "samples"))
			op_json_add_string(json, "unit", c->unit);
		if (c->source)
			op_json_add_string(json, "source", c->source);
		add_id(json, "cpu", c->cpu);
		if (c->running_ns) {
			op_json_add_uint(json, "enabled_ns", c->enabled_ns);
			op_json_add_uint(json, "running_ns", c->running_ns);
		}
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
}

/* Write the totals of the first profile of a differential report. */
static void add_before(struct op_json *json, const struct pp_walk *walk, const uint64_t *totals)
{
	const struct pp_before *before = walk->report->before;
	bool is_scaled = before->is_scaled;

	for (size_t c = 0; c < walk->profile->nr_classes; c++)
		is_scaled |= walk->profile->diff->classes[c].period != 1;
	op_json_begin_key(json, "before", '{');
	pp_facts_json_session(json, before->session);
	op_json_key(json, "totals");
	op_json_uints(json, totals, walk->nr_columns);
	op_json_key(json, "certainty");
	op_json_double(json, walk->report->options->certainty);
	op_json_key(json, "scaled");
	op_json_word(json, is_scaled ? "true" : "false");
	op_json_end(json, '}');
}

/* Write the sum of the lines that --significant hides from the report. */
static void add_hidden(struct op_json *json, const struct pp_walk *walk, const uint64_t *hidden)
{
	const struct pp_diff_facts *facts = walk->profile->diff;

	op_json_begin_key(json, "hidden", '{');
	op_json_add_uint(json, "lines", facts->nr_hidden);
	op_json_add_uint(json, "of", facts->nr_lines);
	add_counts(json, walk, hidden);
	op_json_end(json, '}');
}

static void begin(const struct pp_walk *walk)
{
	struct writer *w = walk->arg;
	struct op_json *json = &w->json;
	const uint64_t *totals, *hidden;

	op_json_begin(json, '{');
	op_json_add_string(json, "format", "oprofile-report");
	op_json_add_uint(json, "version", 1);
	pp_facts_json(json, walk->report);
	add_columns(json, walk);
	totals = pp_walk_totals(walk);
	op_json_key(json, "totals");
	op_json_uints(json, totals, walk->nr_columns);
	if (walk->report->before)
		add_before(json, walk, pp_walk_before(walk, totals));
	hidden = pp_walk_hidden(walk);
	if (hidden)
		add_hidden(json, walk, hidden);
	op_json_begin_key(json, "programs", '[');
}

static void add_name(struct op_json *json, const char *key, char *name)
{
	if (name && *name)
		op_json_add_string(json, key, name);
	free(name);
}

/* Write the member "group" for the control group @unit. */
static void add_group(struct op_json *json, const char *unit)
{
	op_json_begin_key(json, "group", '{');
	add_name(json, "unit", op_cgroup_name(unit, false));
	add_name(json, "container", op_cgroup_container(unit, false));
	add_name(json, "pod", op_cgroup_pod(unit));
	op_json_add_string(json, "path", unit);
	op_json_end(json, '}');
}

static void begin_program(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	struct op_json *json = &((struct writer *)walk->arg)->json;

	op_json_begin(json, '{');
	op_json_add_string(json, "name", program->name);
	if (program->unit)
		add_group(json, program->unit);
	json_task(json, &program->task);
	add_counts(json, walk, program->counts);
	op_json_begin_key(json, "images", '[');
}

static void begin_image(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	struct op_json *json = &((struct writer *)walk->arg)->json;

	op_json_begin(json, '{');
	op_json_add_string(json, "name", image->name);
	add_counts(json, walk, image->counts);
	if (walk->report->options->symbols) {
		op_json_begin_key(json, "symbols", '[');
	}
}

static void begin_symbol(const struct pp_walk *walk, const struct pp_walk_symbol *symbol,
			 size_t first_detail, size_t nr_details)
{
	struct writer *w = walk->arg;

	(void)first_detail;
	(void)nr_details;
	w->used[symbol->code_index] = 1;
	op_json_begin(&w->json, '{');
	op_json_add_uint(&w->json, "symbol", symbol->code_index);
	add_counts(&w->json, walk, symbol->counts);
	if (symbol->totals) {
		op_json_key(&w->json, "totals");
		op_json_uints(&w->json, symbol->totals, walk->nr_columns);
	}
	if (walk->report->options->details) {
		op_json_begin_key(&w->json, "details", '[');
	}
}

static void end_details(const struct pp_walk *walk, struct writer *w)
{
	if (walk->report->options->details && !w->in_arcs)
		op_json_end(&w->json, ']');
}

static void detail(const struct pp_walk *walk, const struct pp_walk_detail *detail)
{
	struct op_json *json = &((struct writer *)walk->arg)->json;

	op_json_begin(json, '{');
	op_json_add_hex(json, "address", detail->detail->vma);
	add_counts(json, walk, detail->counts);
	if (detail->frame && detail->frame->file) {
		op_json_add_string(json, "file", detail->frame->file);
		op_json_add_uint(json, "line", detail->frame->line);
	}
	op_json_end(json, '}');
}

static void begin_arcs(const struct pp_walk *walk, int callees)
{
	struct writer *w = walk->arg;

	end_details(walk, w);
	w->in_arcs = 1;
	op_json_begin_key(&w->json, callees ? "callees" : "callers", '[');
}

static void arc(const struct pp_walk *walk, const struct pp_walk_arc *arc)
{
	struct writer *w = walk->arg;

	w->used[arc->code_index] = 1;
	op_json_begin(&w->json, '{');
	op_json_add_uint(&w->json, "symbol", arc->code_index);
	add_counts(&w->json, walk, arc->counts);
	op_json_end(&w->json, '}');
}

static void end_arcs(const struct pp_walk *walk, int callees)
{
	(void)callees;
	op_json_end(&((struct writer *)walk->arg)->json, ']');
}

static void end_symbol(const struct pp_walk *walk)
{
	struct writer *w = walk->arg;

	end_details(walk, w);
	w->in_arcs = 0;
	op_json_end(&w->json, '}');
}

static void end_image(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	struct op_json *json = &((struct writer *)walk->arg)->json;

	(void)image;
	if (walk->report->options->symbols)
		op_json_end(json, ']');
	op_json_end(json, '}');
}

static void end_program(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	struct op_json *json = &((struct writer *)walk->arg)->json;

	(void)program;
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static void add_symbol(struct op_json *json, const struct pp_profile *profile, size_t index)
{
	static const char *const kinds[] = {
		[PP_CODE_SYMBOL] = "symbol",
		[PP_CODE_IMAGE] = "image",
		[PP_CODE_UNCOVERED] = "uncovered",
		[PP_CODE_RAW] = "raw",
		[PP_CODE_SUBSYSTEM] = "subsystem",
	};
	const struct pp_code *code = &profile->codes[index];

	op_json_begin(json, '{');
	op_json_add_uint(json, "id", index);
	op_json_add_string(json, "name", code->name);
	op_json_add_string(json, "kind", kinds[code->kind]);
	op_json_add_string(json, "image", profile->binaries[code->binary].title);
	if (pp_code_has_address(profile, code)) {
		op_json_add_hex(json, "address", code->vma);
		op_json_add_uint(json, "size", code->size);
	}
	if (code->file) {
		op_json_add_string(json, "file", code->file);
		op_json_add_uint(json, "line", code->line);
	}
	op_json_end(json, '}');
}

static void end(const struct pp_walk *walk)
{
	const struct pp_profile *profile = walk->profile;
	struct writer *w = walk->arg;

	op_json_end(&w->json, ']');
	if (walk->report->options->calltree)
		w->err = json_paths(&w->json, walk, w->used);
	op_json_begin_key(&w->json, "symbols", '[');
	for (size_t i = 0; i < profile->nr_codes; i++)
		if (w->used[i])
			add_symbol(&w->json, profile, i);
	op_json_end(&w->json, ']');
	op_json_end(&w->json, '}');
}

static int write_json(const struct pp_report *report)
{
	static const struct pp_walk_ops ops = {
		.begin = begin,
		.program = begin_program,
		.image = begin_image,
		.symbol = begin_symbol,
		.detail = detail,
		.begin_arcs = begin_arcs,
		.arc = arc,
		.end_arcs = end_arcs,
		.end_symbol = end_symbol,
		.end_image = end_image,
		.end_program = end_program,
		.end = end,
	};
	struct writer writer = { .used = calloc(report->profile->nr_codes + 1, 1) };
	int err;

	if (!writer.used)
		return -ENOMEM;
	op_json_init(&writer.json, report->out, LINES);
	err = pp_walk(report, &ops, &writer);
	free(writer.used);
	return err ? err : writer.err;
}

const struct pp_format_ops pp_format_json = {
	.name = "json",
	.what = "JSON (doc/formats.md)",
	.flags = PP_FORMAT_IDLE | PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF | PP_FORMAT_HIDES |
		 PP_FORMAT_TOTALS,
	.write = write_json,
};
