// SPDX-License-Identifier: GPL-2.0-or-later
/* call_sites.c -- moves counts of allocations from allocator functions to the instructions that
 * called the allocators. */
#include "config.h"
#include "pp/profile/call_sites.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"
#include "pp/profile/arcs.h"
#include "pp/session/trees.h"

/* Detection of allocators: functions that allocate memory for their callers. */

/* Names of allocators that are matched before demangling: operator new, and the allocators of the
 * C++ and Rust libraries. The names are globs. */
static const char *const raw_allocators[] = {
	"_Znw*",	  "_Zna*",	     "_ZSt*",	   "_ZNSt*",   "_ZNKSt*",
	"_ZN9__gnu_cxx*", "_ZNK9__gnu_cxx*", "_ZN5alloc*", "__rust_*", NULL};

/* Names of allocators that are matched after demangling, without parameters: allocators of C
 * libraries, and common wrappers. The names are globs. */
static const char *const allocators[] = {
	"malloc",     "calloc",	       "realloc",	 "reallocarray",
	"memalign",   "aligned_alloc", "posix_memalign", "strdup",
	"strndup",    "[ex]malloc",    "[ex]calloc",	 "[ex]realloc",
	"[ex]strdup", "[ex]strndup",   "[ex]memdup",	 "g_malloc*",
	"g_realloc*", "g_try_malloc*", "g_try_realloc*", "g_slice_*",
	"g_strdup*",  "g_strndup",     "g_memdup*",	 NULL};

bool pp_callers_count(const struct pp_callers *callers, size_t class)
{
	const char *unit = pp_class_unit(&callers->session->classes.items[class]);

	return !strcmp(unit, "bytes") || !strcmp(unit, "calls");
}

static bool matches(const char *const *globs, const char *name)
{
	for (size_t i = 0; globs[i]; i++)
		if (!fnmatch(globs[i], name, 0))
			return true;
	return false;
}

/* Return whether a function allocates memory for its callers. @shown: the name of the function in
 * reports. @raw: its linker name. */
static bool callers_is_allocator(const struct pp_callers *callers, const char *shown,
				 const char *raw)
{
	char base[256];
	size_t len = strcspn(shown, "(");

	if (matches(raw_allocators, raw) || pp_values_match(callers->allocators, shown) ||
	    pp_values_match(callers->allocators, raw))
		return true;
	if (len >= sizeof(base))
		return false;
	memcpy(base, shown, len);
	base[len] = '\0';
	return matches(allocators, base) || pp_values_match(callers->allocators, base);
}

uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node)
{
	const struct pp_paths *paths = profile->paths;

	for (; node != PP_PATH_ROOT; node = paths->nodes[node].parent) {
		const struct pp_place *place = pp_path_place(paths, node);
		const struct pp_code *code =
			place->code == PP_NO_CODE ? NULL : &profile->codes[place->code];
		bool is_inlined = place->kind == PP_PLACE_INLINED;
		const char *shown = is_inlined ? place->name : code ? code->name : NULL;
		const char *raw = is_inlined ? place->raw : code ? code->raw : NULL;

		if (shown && place->file && place->line &&
		    !callers_is_allocator(callers, shown, raw ? raw : shown))
			break;
	}
	return node;
}

uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node)
{
	const struct pp_paths *paths = profile->paths;

	for (; node != PP_PATH_ROOT; node = paths->nodes[node].parent) {
		const struct pp_place *place = pp_path_place(paths, node);

		if (place->code != PP_NO_CODE)
			return profile->codes[place->code].binary;
		for (size_t i = 0; place->kind == PP_PLACE_PROGRAM && i < profile->nr_groups; i++)
			if (!strcmp(profile->groups[i].app, place->name))
				return profile->groups[i].binary;
	}
	return 0;
}

/* The counts at one address of a function (code). */
struct hit {
	uint32_t code;
	uint64_t vma;
	uint64_t *counts;
};

struct builder {
	struct pp_profile *profile;
	const struct pp_session *session;
	const struct pp_path_sources *sources;
	const struct pp_frame_places *places;
	struct pp_callers callers;
	/* --include-symbols or --exclude-symbols was given */
	bool chooses_functions;
	/* for each class of samples: whether its counts come from trees of call paths and are moved
	 * to callers */
	bool *moves;
	/* for each place (a function on call paths): whether the function is not an allocator */
	bool *is_caller;
	struct hit *hits;
	size_t nr;
	/* The members below describe the tree of call paths that is being read. */
	const struct pp_sample_file *file;
	struct pp_tree_wants wants;
};

static int add_hit(struct builder *b, uint32_t code, uint64_t vma, uint64_t *counts)
{
	if (!counts || op_grow(&b->hits, b->nr))
		return -ENOMEM;
	b->hits[b->nr++] = (struct hit){ code, vma, counts };
	return 0;
}

/* Copy the counts by address of all functions. Omit the classes of samples in .moves, which will be
 * moved to callers. */
static int add_details(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	int err = 0;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_details *details = pp_entry_details(profile, &profile->entries[i]);

		for (size_t d = 0; details && d < details->nr && !err; d++) {
			uint64_t *counts = pp_block_alloc(&profile->blocks, profile->nr_classes);

			for (size_t c = 0; counts && c < profile->nr_classes; c++)
				counts[c] = b->moves[c] ? 0 : details->items[d].counts[c];
			if (!counts || pp_has_counts(counts, profile->nr_classes))
				err = add_hit(b, profile->entries[i].code, details->items[d].vma,
					      counts);
		}
	}
	return err;
}

static bool is_caller(const struct builder *b, const struct pp_place *place)
{
	const struct pp_code *code =
		place->code == PP_NO_CODE ? NULL : &b->profile->codes[place->code];
	bool is_inlined = place->kind == PP_PLACE_INLINED;
	const char *shown = is_inlined ? place->name : code ? code->name : NULL;
	const char *raw = is_inlined ? place->raw : code ? code->raw : NULL;

	return shown && code->kind == PP_CODE_SYMBOL &&
	       !callers_is_allocator(&b->callers, shown, raw ? raw : shown);
}

static int find_callers(struct builder *b)
{
	b->is_caller = calloc(b->places->nr_places + 1, sizeof(*b->is_caller));
	if (!b->is_caller)
		return -ENOMEM;
	for (size_t i = 0; i < b->places->nr_places; i++)
		b->is_caller[i] = is_caller(b, &b->places->places[i]);
	return 0;
}

/* Return whether the function of @frame, or a function inlined at its address, is not an
 * allocator. */
static bool has_caller(const struct builder *b, const struct pp_path_frame *frame)
{
	for (uint16_t i = 0; i < frame->nr_places; i++)
		if (b->is_caller[b->places->chain[frame->place + i]])
			return true;
	return false;
}

/* Return the frame to which the counts of the node @leaf belong: the nearest frame, from @leaf
 * outwards, with a function that is not an allocator. If no frame has such a function, return
 * @leaf's own frame, or NULL if its function is unknown. */
static const struct pp_path_frame *find_site(const struct builder *b,
					     const struct pp_source_paths *paths,
					     const struct tree_node *leaf)
{
	const struct pp_path_frame *own = pp_path_frame_find(b->sources, b->file->session,
							     leaf->frame),
				   *frame = own;
	struct tree_node node = *leaf;

	while (!frame || !has_caller(b, frame)) {
		if (node.parent == TREE_ROOT ||
		    !paths->source->ops->node(paths, node.parent, &node))
			return own && own->nr_places ? own : NULL;
		frame = pp_path_frame_find(b->sources, b->file->session, node.frame);
	}
	return frame;
}

/* Return 1 if the options select the counts of @node, else 0 or -ENOMEM. */
static int wants_node(struct builder *b, const struct tree_node *node)
{
	const struct pp_path_frame *frame =
		pp_path_frame_find(b->sources, b->file->session, node->frame);

	return b->wants.all
		       ? 1
		       : pp_tree_wants_image(&b->wants, frame ? frame->image : OP_PATH_IMAGES_MAX);
}

static int add_node(struct builder *b, const struct pp_source_paths *paths,
		    const struct tree_node *node)
{
	const struct pp_path_frame *site;
	const struct pp_place *place;
	uint64_t *counts;
	int wants = wants_node(b, node);

	if (wants <= 0)
		return wants;
	site = find_site(b, paths, node);
	place = site ? &b->places->places[b->places->chain[site->place]] : NULL;
	if (!place || (place->unwanted && b->chooses_functions))
		return 0;
	counts = pp_block_alloc(&b->profile->blocks, b->profile->nr_classes);
	if (counts)
		counts[b->file->class] = node->count;
	return add_hit(b, place->code, site->vma, counts);
}

static int add_tree(struct builder *b, const struct pp_sample_file *file)
{
	struct pp_source_paths paths;
	struct tree_node node;
	int err = pp_path_file_open(&paths, b->session, file);

	if (err)	/* pp_path_sources_read() has already reported this error */
		return err == -ENOMEM ? err : 0;
	b->file = file;
	err = pp_tree_wants_init(&b->wants, b->session, file);
	for (uint32_t i = TREE_FIRST; i < paths.end && !err; i++)
		if (paths.source->ops->node(&paths, i, &node) && node.count)
			err = add_node(b, &paths, &node);
	pp_tree_wants_release(&b->wants);
	paths.source->ops->paths_close(&paths);
	return err;
}

/* Set .moves of the classes of samples that have trees with counts of calls. Return whether at
 * least one class has such a tree. */
static bool find_classes(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	bool any = false;

	for (size_t i = 0; i < files->nr_trees; i++) {
		const struct pp_sample_file *file = &files->trees[i];

		if (!b->sources->sources[file->session].generation ||
		    !pp_callers_count(&b->callers, file->class))
			continue;
		b->moves[file->class] = any = true;
	}
	return any;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Merge hits with equal addresses: sum their counts in one hit. */
static void merge_hits(struct builder *b)
{
	size_t kept = 0;

	if (b->nr)
		qsort(b->hits, b->nr, sizeof(*b->hits), compare_hits);
	for (size_t i = 0; i < b->nr; i++) {
		if (!kept || compare_hits(&b->hits[kept - 1], &b->hits[i])) {
			b->hits[kept++] = b->hits[i];
			continue;
		}
		for (size_t c = 0; c < b->profile->nr_classes; c++)
			b->hits[kept - 1].counts[c] += b->hits[i].counts[c];
	}
	b->nr = kept;
}

/* Make the entry *@ret of a function from @hits, its @nr addresses with counts. */
static int add_entry(struct builder *b, const struct hit *hits, size_t nr, struct pp_entry *ret)
{
	struct pp_profile *profile = b->profile;
	struct pp_details *details = &profile->details[profile->nr_details];

	*details = (struct pp_details){
		.items = pp_block_bytes(&profile->blocks, nr * sizeof(struct pp_detail))
	};
	*ret = (struct pp_entry){
		.code = hits->code,
		.counts = pp_block_alloc(&profile->blocks, profile->nr_classes),
	};
	if (!details->items || !ret->counts)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		details->items[details->nr++] = (struct pp_detail){ hits[i].vma, hits[i].counts };
		for (size_t c = 0; c < profile->nr_classes; c++)
			ret->counts[c] += hits[i].counts[c];
	}
	ret->details = ++profile->nr_details;
	return 0;
}

/* Set .group of each entry in .code_entries to the first group (program) of the entry's binary. */
static int set_groups(struct pp_profile *profile)
{
	uint32_t *first = calloc(profile->nr_binaries + 1, sizeof(*first));

	if (!first)
		return -ENOMEM;
	for (size_t i = profile->nr_groups; i-- > 0;)
		first[profile->groups[i].binary] = i;
	for (size_t i = 0; i < profile->nr_code_entries; i++)
		profile->code_entries[i].group =
			first[profile->codes[profile->code_entries[i].code].binary];
	free(first);
	return 0;
}

static int add_entries(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	struct pp_details *details;
	size_t nr = 0, end;
	int err = 0;

	for (size_t i = 0; i < b->nr; i++)
		nr += !i || b->hits[i].code != b->hits[i - 1].code;
	details = reallocarray(profile->details, profile->nr_details + nr + 1, sizeof(*details));
	if (!details)
		return -ENOMEM;
	profile->details = details;
	profile->code_entries = calloc(nr + 1, sizeof(*profile->code_entries));
	if (!profile->code_entries)
		return -ENOMEM;
	for (size_t i = 0; i < b->nr && !err; i = end) {
		for (end = i + 1; end < b->nr && b->hits[end].code == b->hits[i].code;)
			end++;
		err = add_entry(b, &b->hits[i], end - i,
				&profile->code_entries[profile->nr_code_entries]);
		profile->nr_code_entries += !err;
	}
	return err ? err : set_groups(profile);
}

static int build(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	int err = find_callers(b);

	if (!err)
		err = add_details(b);
	for (size_t i = 0; i < files->nr_trees && !err; i++)
		if (b->moves[files->trees[i].class] &&
		    b->sources->sources[files->trees[i].session].generation)
			err = add_tree(b, &files->trees[i]);
	if (err)
		return err;
	merge_hits(b);
	return add_entries(b);
}

int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;
	struct builder b = {
		.profile = profile, .session = session, .sources = sources, .places = places,
		.callers = { session, options->allocators },
		.chooses_functions = (include && include->nr) || (exclude && exclude->nr),
		.moves = calloc(profile->nr_classes + 1, sizeof(*b.moves)),
	};
	int err = b.moves ? 0 : -ENOMEM;

	if (!err && find_classes(&b))
		err = build(&b);
	free(b.moves);
	free(b.is_caller);
	free(b.hits);
	return err;
}
