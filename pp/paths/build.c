// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c -- the calling context tree of a profile: the session's trees of addresses, converted to
 * functions and summed. */
#include "config.h"
#include "pp/paths/trees.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/base/search.h"
#include "libop/session/path_files.h"
#include "pp/paths/nodes.h"
#include "pp/profile/arcs.h"
#include "pp/session/tasks.h"
#include "pp/session/trees.h"

/* Some samples of the flat profile are in no tree of call paths, because they were taken without a
 * path. The following functions compute these samples and add them to the tree. */

/* The samples of an entry (a program's samples in a function) without a call path. .counts are the
 * samples of the entry, minus the samples of call paths that end in the function. */
struct rest {
	uint32_t program, code;
	/* the entry of the profile belongs to the program's own file, or to a binary whose samples
	 * are not separated by program */
	bool own;
	/* samples of unknown functions, too, were subtracted from .counts */
	bool by_unknown;
	const struct pp_entry *entry;
	uint64_t *counts;
};

struct missing {
	struct pp_profile *profile;
	struct pp_path_programs *programs;
	struct pp_path_nodes *nodes;
	bool libs_merged;
	/* one element for each entry of the profile, sorted by program, then code (function) */
	struct rest *rests;
	/* indices into .rests, sorted by code (function); of elements with equal codes, elements
	 * with .own first */
	uint32_t *by_code;
	uint64_t *counts;
	/* for each code (function) and class: the number by which the samples of paths that end in
	 * the code exceed the samples of the program's own entry for the code */
	uint64_t *left;
	/* for each program and class of samples: samples of paths that end in an unknown function;
	 * the last row is for all programs */
	uint64_t *nowhere;
	/* for each program: whether it has paths that end in an unknown function */
	uint8_t *has_nowhere;
	/* samples of a program's unknown functions were also subtracted from the counts of other
	 * programs */
	bool spread;
	/* for each code (function): index of its place in the tree, plus 1; 0: no place yet */
	uint32_t *place_of;
	/* number of the place (element of paths) for samples without a call path */
	uint32_t no_path;
};

static int compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

static int compare_codes(const void *a, const void *b, void *arg)
{
	const struct rest *rests = arg, *x = &rests[*(const uint32_t *)a],
			  *y = &rests[*(const uint32_t *)b];

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->own != y->own)
		return x->own ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Return the index of a program in the tables of samples. If samples of libraries are not separated
 * by program, return 0 for all programs. */
static size_t program_index(const struct missing *m, const char *title)
{
	return m->libs_merged ? 0 : pp_path_program_index(m->programs, title);
}

static int collect(struct missing *m)
{
	const struct pp_profile *profile = m->profile;
	size_t nr = profile->nr_entries, nr_classes = profile->nr_classes;

	m->rests = calloc(nr + 1, sizeof(*m->rests));
	m->by_code = calloc(nr + 1, sizeof(*m->by_code));
	m->counts = calloc(nr * nr_classes + 1, sizeof(*m->counts));
	m->left = calloc(profile->nr_codes * nr_classes + 1, sizeof(*m->left));
	m->nowhere = calloc((m->programs->nr + 1) * nr_classes + 1, sizeof(*m->nowhere));
	m->has_nowhere = calloc(m->programs->nr + 1, 1);
	m->place_of = calloc(profile->nr_codes + 1, sizeof(*m->place_of));
	if (!m->rests || !m->by_code || !m->counts || !m->left || !m->nowhere || !m->has_nowhere ||
	    !m->place_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_group *group = pp_entry_group(profile, entry);

		m->rests[i] = (struct rest){
			.program = program_index(m, group->app), .code = entry->code,
			.own = pp_tasks_own_image(group->app, group->image),
			.entry = entry, .counts = &m->counts[i * nr_classes],
		};
		memcpy(m->rests[i].counts, entry->counts, nr_classes * sizeof(*entry->counts));
		m->by_code[i] = i;
	}
	if (nr) {
		qsort(m->rests, nr, sizeof(*m->rests), compare_rests);
		qsort_r(m->by_code, nr, sizeof(*m->by_code), compare_codes, m->rests);
	}
	return 0;
}

static struct rest *find(const struct missing *m, uint32_t program, uint32_t code)
{
	const struct rest key = { .program = program, .code = code };
	size_t i = op_partition_point(k, m->profile->nr_entries,
				      compare_rests(&m->rests[k], &key) < 0);

	if (i == m->profile->nr_entries || compare_rests(&m->rests[i], &key))
		return NULL;
	return &m->rests[i];
}

/* Subtract the smaller of *@a and *@b from both numbers. Return the number that was subtracted. */
static uint64_t cancel(uint64_t *a, uint64_t *b)
{
	uint64_t common = *a < *b ? *a : *b;

	*a -= common;
	*b -= common;
	return common;
}

/* Subtract the samples of a path that ends at @node from the entry of its program and function. If
 * the entry has fewer samples, add the remaining samples to m->left. If the function is unknown,
 * add the samples to m->nowhere, the samples of unknown functions. */
static void subtract_leaf(struct missing *m, const struct pp_path_node *node, uint32_t program)
{
	const struct pp_place *place = &m->nodes->paths->places[node->place];
	size_t nr = m->profile->nr_classes;
	struct rest *rest = NULL;

	if (place->code != PP_NO_CODE)
		rest = find(m, program, place->code);
	else
		m->has_nowhere[program] = true;
	for (size_t c = 0; c < nr; c++) {
		uint64_t self = node->self[c];

		if (rest)
			cancel(&self, &rest->counts[c]);
		if (place->code == PP_NO_CODE)
			m->nowhere[program * nr + c] += self;
		else
			m->left[place->code * nr + c] += self;
	}
}

static int subtract(struct missing *m)
{
	const struct pp_paths *paths = m->nodes->paths;
	uint32_t *program_of = calloc(paths->nr_nodes + 1, sizeof(*program_of));

	if (!program_of)
		return -ENOMEM;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct pp_place *place = &paths->places[node->place];

		program_of[i] = node->parent == PP_PATH_ROOT ? program_index(m, place->name)
							     : program_of[node->parent];
		if (node->self)
			subtract_leaf(m, node, program_of[i]);
	}
	free(program_of);
	return 0;
}

/*
 * Subtract the samples in m->left, which exceed the entry of the function in one program, from
 * entries of the same function in other programs. A tree of call paths always belongs to a program.
 * But a sample file of a library or of the kernel belongs to a program only if the session
 * separates samples by program (--separate).
 */
static void subtract_left(struct missing *m)
{
	size_t nr = m->profile->nr_classes;

	for (size_t i = 0; i < m->profile->nr_entries; i++) {
		struct rest *rest = &m->rests[m->by_code[i]];

		for (size_t c = 0; c < nr; c++)
			cancel(&m->left[rest->code * nr + c], &rest->counts[c]);
	}
	for (size_t i = 0; i < m->profile->nr_codes; i++)
		for (size_t c = 0; c < nr; c++)
			m->nowhere[m->programs->nr * nr + c] += m->left[i * nr + c];
}

/* Some paths of @program end in unknown functions. m->nowhere has their samples: subtract as many
 * of these samples as possible from both m->nowhere and the counts of @rest. */
static void subtract_unknown(struct missing *m, struct rest *rest, size_t program)
{
	size_t nr = m->profile->nr_classes;

	for (size_t c = 0; c < nr; c++)
		if (cancel(&m->nowhere[program * nr + c], &rest->counts[c]))
			rest->by_unknown = true;
}

/* Subtract the samples of unknown functions from counts of other functions: first from functions of
 * the same program, then from binaries that are not separated by program, then from all other
 * functions. */
static void subtract_all_unknown(struct missing *m)
{
	size_t all = m->programs->nr, nr = m->profile->nr_classes;

	for (size_t i = 0; i < m->profile->nr_entries; i++)
		subtract_unknown(m, &m->rests[i], m->rests[i].program);
	for (size_t p = 0; p < all; p++)
		for (size_t c = 0; c < nr; c++)
			m->nowhere[all * nr + c] += m->nowhere[p * nr + c];
	m->spread = pp_has_counts(&m->nowhere[all * nr], nr);
	for (int own = 1; own >= 0; own--)
		for (size_t i = 0; i < m->profile->nr_entries; i++)
			if (m->rests[i].own == own)
				subtract_unknown(m, &m->rests[i], all);
}

static int place_of_code(struct missing *m, uint32_t code, uint32_t *ret)
{
	const struct pp_binary *binary = &m->profile->binaries[m->profile->codes[code].binary];
	const struct pp_place place = {
		.code = code,
		.kind = PP_PLACE_CODE,
		.is_kernel = binary->name->kind == OP_IMAGE_KERN,
	};
	int err = 0;

	if (!m->place_of[code]) {
		err = pp_path_place_add(m->nodes, &place, ret);
		if (!err)
			m->place_of[code] = *ret + 1;
		return err;
	}
	*ret = m->place_of[code] - 1;
	return 0;
}

/* Return whether the samples in @rest certainly belong to its function. They are uncertain if
 * samples of unknown functions were subtracted. */
static bool knows_function(const struct missing *m, const struct rest *rest)
{
	return !rest->by_unknown && !m->has_nowhere[rest->program] && !m->spread;
}

static int add(struct missing *m, const struct rest *rest)
{
	const char *title = pp_entry_group(m->profile, rest->entry)->app;
	bool with_function = knows_function(m, rest);
	uint32_t node, place;
	uint64_t *counts;
	int err = pp_path_program(m->programs, m->nodes, title, &node);

	if (!err)
		err = pp_path_child(m->nodes, node, m->no_path, &node);
	if (!err && with_function)
		err = place_of_code(m, rest->code, &place);
	if (!err && with_function)
		err = pp_path_child(m->nodes, node, place, &node);
	counts = err ? NULL : pp_path_counts(m->nodes, node);
	if (!counts)
		return -ENOMEM;
	for (size_t c = 0; c < m->profile->nr_classes; c++)
		counts[c] += rest->counts[c];
	return 0;
}

static int add_all(struct missing *m)
{
	const struct pp_place no_path = { .code = PP_NO_CODE, .kind = PP_PLACE_NO_PATH };
	const struct pp_paths *paths = m->nodes->paths;
	int err;

	for (size_t i = 0; i < paths->nr_places; i++)
		if (paths->places[i].kind == PP_PLACE_CODE && !paths->places[i].file &&
		    !paths->places[i].has_vma)
			m->place_of[paths->places[i].code] = i + 1;
	err = pp_path_place_add(m->nodes, &no_path, &m->no_path);
	for (size_t i = 0; i < m->profile->nr_entries && !err; i++)
		if (pp_has_counts(m->rests[i].counts, m->profile->nr_classes))
			err = add(m, &m->rests[i]);
	return err;
}

/* Add the samples that no tree of call paths contains, as paths that consist of one function.
 * @libs_merged: samples of a library are not separated by program. Return 0 or -ENOMEM. */
static int paths_add_missing(struct pp_profile *profile, struct pp_path_programs *programs,
			     struct pp_path_nodes *nodes, bool libs_merged)
{
	struct missing m = {
		.profile = profile,
		.programs = programs,
		.nodes = nodes,
		.libs_merged = libs_merged,
	};
	int err = collect(&m);

	if (!err)
		err = subtract(&m);
	if (!err) {
		subtract_left(&m);
		subtract_all_unknown(&m);
		err = add_all(&m);
	}
	free(m.rests);
	free(m.by_code);
	free(m.counts);
	free(m.left);
	free(m.nowhere);
	free(m.has_nowhere);
	free(m.place_of);
	return err;
}

/* Warn if the samples of the tree @paths and of the flat profile have different sums in a class of
 * samples. Call this before counts are scaled. */
static void paths_check(const struct pp_profile *profile, const struct pp_paths *paths,
			struct pp_log *log)
{
	uint64_t more = 0, less = 0;

	for (size_t c = 0; c < profile->nr_classes; c++) {
		uint64_t flat = 0, sum = 0;

		for (size_t i = 0; i < profile->nr_entries; i++)
			flat += profile->entries[i].counts[c];
		for (size_t i = 0; i < paths->nr_nodes; i++)
			sum += paths->nodes[i].self ? paths->nodes[i].self[c] : 0;
		more += sum > flat ? sum - flat : 0;
		less += sum < flat ? flat - sum : 0;
	}
	if (more)
		pp_warn(log,
			"call paths have %" PRIu64
			" %s more than the sample files in this report: the session is being "
			"written, was sampled with several settings of --separate, or has "
			"damaged files",
			more, op_plural(more, "sample", "samples"));
	if (less)
		pp_warn(log, "call paths have %" PRIu64 " %s fewer than the sample files in this "
							"report", less,
			op_plural(less, "sample", "samples"));
}

/* flag in .at: the descendants of the session's node are counted at the same node of the profile */
#define ONLY	(1u << 31)
#define NR_HOW	(UINT16_MAX + 1u)
/* flag in .simple: the unwinder found the frame by a frame pointer */
#define BY_POINTER	(1u << 31)

struct builder {
	struct pp_profile *profile;
	const struct pp_session *session;
	const struct pp_path_sources *sources;
	const struct pp_frame_places *places;
	const struct pp_profile_options *options;
	struct pp_path_nodes nodes;
	struct pp_path_programs programs;
	/* index of the first place (function) of call-path frames among the places of the
	 * profile */
	uint32_t first_place;
	/* numbers of the places (elements of paths) that stand for folded, lost and unknown
	 * frames */
	uint32_t folded, lost, unknown;
	/* for each reason why a path ends (pp_path_frame.how): index of the place for this reason,
	 * plus 1; 0: no place yet */
	uint32_t *reasons;
	/* for each frame number of the current session: index of its place (function), plus 1; 0:
	 * the function is unknown, or the frame has several functions because of inlining */
	uint32_t *simple;
	size_t simple_session;
	/* The members below describe the tree that is being read. */
	const struct pp_sample_file *file;
	struct pp_tree_wants wants;
	/* for each node of the session's tree: the node of the profile's tree to which its samples
	 * are added */
	uint32_t *at;
	/* for each node of the session's tree: whether it has callees. NULL without call_lines, and
	 * for classes of events that are not sampled over time */
	bool *is_caller;
};

static int add_places(struct builder *b)
{
	const struct pp_frame_places *from = b->places;
	uint32_t place;
	int err = 0;

	b->first_place = b->nodes.paths->nr_places;
	for (size_t i = 0; i < from->nr_places && !err; i++)
		err = pp_path_place_add(&b->nodes, &from->places[i], &place);
	return err;
}

static int add_special(struct builder *b, enum pp_place_kind kind, uint32_t *ret)
{
	return pp_path_place_add(&b->nodes, &(struct pp_place){.code = PP_NO_CODE, .kind = kind},
				 ret);
}

static int place_of_reason(struct builder *b, uint16_t how, uint32_t *ret)
{
	struct pp_place place = {
		.name = op_path_end_words(how), .code = PP_NO_CODE, .kind = PP_PLACE_SHORT};
	int err = 0;

	if (how == PP_SOURCE_CALLER_UNKNOWN)
		place.name = "caller not known";
	if (!b->reasons[how]) {
		if (!place.name)
			place.name = "for a reason that this version does not know";
		err = pp_path_place_add(&b->nodes, &place, ret);
		if (!err)
			b->reasons[how] = *ret + 1;
		return err;
	}
	*ret = b->reasons[how] - 1;
	return 0;
}

/* Add a node for the frame below @above, then nodes for the functions inlined at the frame.
 * @is_leaf: the frame is the last one of a path. Its samples may be anywhere in the innermost
 * function, so that function's node has no source line. */
static int child_of_frame(struct builder *b, uint32_t above, const struct pp_path_frame *frame,
			  bool is_leaf, uint32_t *ret)
{
	int err = 0;

	for (uint16_t i = 0; i < frame->nr_places && !err; i++) {
		uint32_t link = frame->place +
				(is_leaf && i + 1 == frame->nr_places ? frame->nr_places : i);

		err = pp_path_child(&b->nodes, above, b->first_place + b->places->chain[link],
				    &above);
		if (!err && op_path_by_frame_pointer(frame->how))
			b->nodes.paths->nodes[above].by_pointer = true;
	}
	*ret = above;
	return err;
}

/* Fill .simple, which maps frame numbers of a session to places (functions). An array is faster
 * than a search, and a tree has many more nodes than frames. */
static int find_simple(struct builder *b, size_t session)
{
	uint32_t end = b->sources->sources[session].end;

	if (b->simple && b->simple_session == session)
		return 0;
	free(b->simple);
	b->simple = calloc((size_t)end + 1, sizeof(*b->simple));
	if (!b->simple)
		return -ENOMEM;
	b->simple_session = session;
	for (uint32_t i = 0; i < end && !b->options->call_lines; i++) {
		const struct pp_path_frame *frame = pp_path_frame_find(b->sources, session, i);

		if (i == FRAME_FOLDED || i == FRAME_LOST || !frame || op_path_is_end(frame->how) ||
		    frame->nr_places != 1)
			continue;
		b->simple[i] = b->first_place + b->places->chain[frame->place] + 1;
		if (op_path_by_frame_pointer(frame->how))
			b->simple[i] |= BY_POINTER;
	}
	return 0;
}

static int child_of_simple(struct builder *b, uint32_t above, uint32_t simple, uint32_t *ret)
{
	int err = pp_path_child(&b->nodes, above, (simple & ~BY_POINTER) - 1, ret);

	if (!err && simple & BY_POINTER)
		b->nodes.paths->nodes[*ret].by_pointer = true;
	return err;
}

static int child_of_other(struct builder *b, uint32_t above, uint32_t number, bool is_leaf,
			  uint32_t *ret)
{
	const struct pp_path_frame *frame =
		pp_path_frame_find(b->sources, b->file->session, number);
	uint32_t place = b->unknown;
	int err = 0;

	if (number == FRAME_FOLDED || number == FRAME_LOST) {
		place = number == FRAME_FOLDED ? b->folded : b->lost;
	} else if (frame && op_path_is_end(frame->how)) {
		err = place_of_reason(b, frame->how, &place);
	} else if (frame && frame->nr_places) {
		return child_of_frame(b, above, frame, is_leaf, ret);
	} else {
		b->nodes.paths->nr_damaged++;
	}
	return err ? err : pp_path_child(&b->nodes, above, place, ret);
}

static int child_of(struct builder *b, uint32_t above, uint32_t number, bool is_leaf, uint32_t *ret)
{
	if (number < b->sources->sources[b->file->session].end && b->simple[number])
		return child_of_simple(b, above, b->simple[number], ret);
	return child_of_other(b, above, number, is_leaf, ret);
}

static bool chooses_functions(const struct pp_profile_options *o)
{
	return (o->include_symbols && o->include_symbols->nr) ||
	       (o->exclude_symbols && o->exclude_symbols->nr);
}

/* Return whether --include-symbols and --exclude-symbols remove samples from the trees. With
 * inclusive totals (--inclusive) these options only remove lines of the report. */
static bool chooses_samples(const struct pp_profile_options *o)
{
	return chooses_functions(o) && !o->inclusive;
}

/* Return whether the report includes samples of unknown functions. It excludes them if the user
 * selected functions by name. */
static bool wants_unknown(const struct builder *b)
{
	return b->wants.unknown && !chooses_samples(b->options);
}

/* Return 1 if the report includes samples of the frame @number, else 0 or -ENOMEM. */
static int wants_frame(struct builder *b, uint32_t number)
{
	const struct pp_path_frame *frame;

	if (b->wants.all)
		return 1;
	frame = pp_path_frame_find(b->sources, b->file->session, number);
	return pp_tree_wants_image(&b->wants, frame ? frame->image : OP_PATH_IMAGES_MAX);
}

static int count_node(struct builder *b, uint32_t at, const struct tree_node *node)
{
	struct pp_paths *paths = b->nodes.paths;
	const struct pp_place *place = pp_path_place(paths, at);
	uint64_t *counts;
	int wants;

	if (!node->count || (place->unwanted && chooses_samples(b->options)) ||
	    (place->code == PP_NO_CODE && !wants_unknown(b)))
		return 0;
	wants = wants_frame(b, node->frame);
	if (wants <= 0)
		return wants;
	counts = pp_path_counts(&b->nodes, at);
	if (!counts)
		return -ENOMEM;
	counts[b->file->class] += node->count;
	return 0;
}

static int add_node(struct builder *b, uint32_t i, const struct tree_node *node, uint32_t program)
{
	uint32_t above = node->parent == TREE_ROOT ? program : b->at[node->parent],
		 at = above & ~ONLY, callee;
	int err = 0;

	if (!above) {
		/* The parent of the node is missing in the tree, so the outer part of its path is
		 * lost. */
		err = pp_path_child(&b->nodes, program, b->lost, &at);
		above = at | ONLY;
		b->nodes.paths->nr_damaged++;
	} else if (!(above & ONLY)) {
		err = child_of(b, above, node->frame, b->is_caller && !b->is_caller[i], &callee);
		at = callee;
		/* The node of a caller has the line of its call. Samples of the caller itself
		 * belong to the node of the function without a line. */
		if (!err && node->count && b->is_caller && b->is_caller[i])
			err = child_of(b, above, node->frame, true, &at);
		above = callee;
	}
	if (err)
		return err;
	b->at[i] = above;
	return count_node(b, at, node);
}

/*
 * Mark the nodes that have callees. In a class of samples that are taken over time, only nodes of
 * calls have a source line. Samples may be anywhere in the last function of a path, and lines would
 * split that function into several nodes. A node may have both callees and samples of its own, if a
 * signal interrupted the instruction. In a heap profile, each count is a call, so each node has a
 * line.
 */
static int find_callers(struct builder *b, const struct pp_source_paths *paths)
{
	struct tree_node node;

	if (!b->options->call_lines ||
	    strcmp(pp_class_unit(&b->session->classes.items[b->file->class]), "samples"))
		return 0;
	b->is_caller = calloc(paths->end, sizeof(*b->is_caller));
	if (!b->is_caller)
		return -ENOMEM;
	for (uint32_t i = TREE_FIRST; i < paths->end; i++)
		if (paths->source->ops->node(paths, i, &node))
			b->is_caller[node.parent] = true;
	return 0;
}

static int add_nodes(struct builder *b, const struct pp_source_paths *paths)
{
	uint32_t end = paths->end, program;
	struct tree_node node;
	int err = pp_path_program(&b->programs, &b->nodes, b->file->app, &program);

	b->at = calloc(end, sizeof(*b->at));
	if (!err && !b->at)
		err = -ENOMEM;
	if (!err)
		err = find_callers(b, paths);
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		if (paths->source->ops->node(paths, i, &node))
			err = add_node(b, i, &node, program);
		else
			b->nodes.paths->nr_damaged++;
	}
	free(b->at);
	free(b->is_caller);
	b->at = NULL;
	b->is_caller = NULL;
	return err;
}

static int add_tree(struct builder *b, const struct pp_sample_file *file)
{
	struct pp_source_paths paths;
	int err;

	if (!b->sources->sources[file->session].generation)
		return 0;
	err = pp_path_file_open(&paths, b->session, file);
	if (err)	/* pp_path_sources_read() has already reported this error */
		return err == -ENOMEM ? err : 0;
	b->file = file;
	err = find_simple(b, file->session);
	if (!err)
		err = pp_tree_wants_init(&b->wants, b->session, file);
	if (!err)
		err = add_nodes(b, &paths);
	pp_tree_wants_release(&b->wants);
	paths.source->ops->paths_close(&paths);
	return err;
}

static int build(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	int err = pp_path_programs_init(&b->programs, b->profile, b->session);

	if (!err)
		err = add_places(b);
	if (!err)
		err = add_special(b, PP_PLACE_FOLDED, &b->folded);
	if (!err)
		err = add_special(b, PP_PLACE_LOST, &b->lost);
	if (!err)
		err = add_special(b, PP_PLACE_UNKNOWN, &b->unknown);
	for (size_t i = 0; i < files->nr_trees && !err; i++)
		err = add_tree(b, &files->trees[i]);
	if (err)
		return err;
	return paths_add_missing(b->profile, &b->programs, &b->nodes, b->session->libs_merged);
}

int pp_paths_build(struct pp_profile *profile, const struct pp_session *session,
		   const struct pp_path_sources *sources, const struct pp_frame_places *places,
		   const struct pp_profile_options *options, struct pp_log *log)
{
	struct builder b = {
		.profile = profile,
		.session = session,
		.sources = sources,
		.places = places,
		.options = options,
		.reasons = calloc(NR_HOW, sizeof(*b.reasons)),
	};
	int err = b.reasons ? pp_path_nodes_init(&b.nodes, &profile->blocks, profile->nr_counts)
			    : -ENOMEM;

	b.nodes.fold_recursion = options->fold_recursion;
	if (!err)
		err = build(&b);
	if (!err && b.nodes.paths->nr_damaged)
		pp_warn(log,
			"call paths: %zu %s damaged or unknown; the calls below are shown without "
			"the caller",
			b.nodes.paths->nr_damaged,
			op_plural(b.nodes.paths->nr_damaged, "node of a tree is",
				  "nodes of their trees are"));
	if (!err) {
		if (chooses_samples(options) || !chooses_functions(options))
			paths_check(profile, b.nodes.paths, log);
		profile->paths = pp_path_nodes_finish(&b.nodes);
	}
	pp_path_nodes_release(&b.nodes);
	pp_path_programs_release(&b.programs);
	free(b.reasons);
	free(b.simple);
	return err;
}
