// SPDX-License-Identifier: GPL-2.0-or-later
/* sources.c -- sums samples by source file and line. */
#include "config.h"
#include "pp/annotate/sources.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"

/* The source line of a sampled address or, with .is_symbol, of the start of a function. */
struct hit {
	/* source file, interned, so that pointers can be compared */
	const char *path;
	uint32_t line;
	uint32_t code;
	const uint64_t *counts;
	bool is_symbol;
};

/* A path from debug data, and the same path without "." and "..". */
struct name {
	const char *raw, *clean;
};

struct builder {
	const struct pp_profile *profile;
	const struct pp_callers *callers; /* used to find the callers of allocators; or NULL */
	struct pp_sources *sources;
	struct hit *hits;
	size_t nr_hits;
	struct pp_intern names;
	/* result of the previous lookup, because adjacent addresses usually have the same file */
	struct name last;
	/* for each function, by its index in the profile: its counts; NULL: no samples */
	uint64_t **by_code;
};

char *pp_source_clean_path(const char *path)
{
	char *clean = malloc(strlen(path) + 2);
	size_t len = 0, keep = 0; /* keep: length of the prefix that ".." must not remove */

	if (!clean)
		return NULL;
	if (*path == '/') {
		clean[len++] = '/';
		keep = len;
	}
	while (*path) {
		size_t n = strcspn(path, "/");
		int up = n == 2 && !memcmp(path, "..", 2);

		if (up && len > keep) {
			while (len > keep && clean[len - 1] != '/')
				len--;
			if (len > keep)
				len--;
		} else if (up && keep == 1 && clean[0] == '/') {
			;	/* ".." in the root directory is the root directory */
		} else if (n && !(n == 1 && *path == '.')) {
			if (len && clean[len - 1] != '/')
				clean[len++] = '/';
			memcpy(clean + len, path, n);
			len += n;
			if (up)
				keep = len;
		}
		path += n;
		path += strspn(path, "/");
	}
	if (!len)
		clean[len++] = '.';
	clean[len] = '\0';
	return clean;
}

static const char *clean_name(struct builder *b, const char *raw)
{
	const char *kept;
	char *clean;

	if (b->last.raw == raw)
		return b->last.clean;
	clean = pp_source_clean_path(raw);
	kept = clean ? pp_intern(&b->names, &b->sources->strings, clean) : NULL;
	free(clean);
	if (kept)
		b->last = (struct name){ raw, kept };
	return kept;
}

static int add_hit(struct builder *b, const char *file, uint32_t line, uint32_t code,
		   const uint64_t *counts, bool is_symbol)
{
	const char *path = clean_name(b, file);

	if (!path || op_grow(&b->hits, b->nr_hits))
		return -ENOMEM;
	b->hits[b->nr_hits++] = (struct hit){ path, line, code, counts, is_symbol };
	return 0;
}

/* Return whether the counts of the class (an event on a CPU, for example) come from call paths
 * instead of sampled addresses. */
static bool is_of_calls(const struct builder *b, size_t class)
{
	return b->callers && b->profile->paths && pp_callers_count(b->callers, class);
}

/* Return a part of @counts: with @of_calls, the counts of classes (events) that come from call
 * paths; else those of the other classes. The result is @counts itself, or a copy with zeros for
 * unwanted classes. Return NULL if out of memory. */
static const uint64_t *choose_counts(struct builder *b, const uint64_t *counts, bool of_calls)
{
	uint64_t *chosen = NULL;

	for (size_t c = 0; c < b->profile->nr_classes; c++) {
		if (is_of_calls(b, c) == of_calls || !counts[c])
			continue;
		if (!chosen) {
			chosen = pp_block_alloc(&b->sources->blocks, b->profile->nr_classes);
			if (!chosen)
				return NULL;
			memcpy(chosen, counts, b->profile->nr_classes * sizeof(*chosen));
		}
		chosen[c] = 0;
	}
	return chosen ? chosen : counts;
}

static void add_counts(uint64_t *to, const uint64_t *counts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		to[i] += counts[i];
}

/* Return the innermost frame with a line, or NULL. Compilers give line 0 to code without a specific
 * line. Such code counts for the line of the inlined call. */
static const struct pp_frame *frame_with_line(const struct pp_frames *frames)
{
	for (size_t i = 0; i < frames->nr; i++)
		if (frames->items[i].file && frames->items[i].line)
			return &frames->items[i];
	return NULL;
}

static int add_unlined(struct builder *b, uint32_t binary, const uint64_t *counts)
{
	uint64_t **unlined = &b->sources->unlined[binary];

	if (!*unlined)
		*unlined = pp_block_alloc(&b->sources->blocks, b->profile->nr_classes);
	if (!*unlined)
		return -ENOMEM;
	add_counts(*unlined, counts, b->profile->nr_classes);
	return 0;
}

/* Add @counts to the counts of the function @code, and to the total of all functions. */
static int add_totals(struct builder *b, uint32_t code, const uint64_t *counts)
{
	uint64_t **of_code = &b->by_code[code];

	if (!*of_code)
		*of_code = pp_block_alloc(&b->sources->blocks, b->profile->nr_classes);
	if (!*of_code)
		return -ENOMEM;
	add_counts(*of_code, counts, b->profile->nr_classes);
	add_counts(b->sources->total, counts, b->profile->nr_classes);
	return 0;
}

static int add_detail(struct builder *b, const struct pp_entry *entry, const uint64_t *counts,
		      const struct pp_frames *frames)
{
	const struct pp_frame *frame = frames ? frame_with_line(frames) : NULL;

	counts = choose_counts(b, counts, false);
	if (!counts)
		return -ENOMEM;
	if (!pp_has_counts(counts, b->profile->nr_classes))
		return 0;
	return frame ? add_hit(b, frame->file, frame->line, entry->code, counts, 0) :
		       add_unlined(b, pp_entry_code(b->profile, entry)->binary, counts);
}

static int add_entry(struct builder *b, const struct pp_entry *entry)
{
	const struct pp_details *details = pp_entry_details(b->profile, entry);
	const uint64_t *counts = choose_counts(b, entry->counts, false);
	int err = counts ? 0 : -ENOMEM;

	if (!err && pp_has_counts(counts, b->profile->nr_classes))
		err = add_totals(b, entry->code, counts);
	if (!details)
		return err ? err : add_detail(b, entry, entry->counts, NULL);
	for (size_t i = 0; i < details->nr && !err; i++)
		err = add_detail(b, entry, details->items[i].counts,
				 details->frames ? &details->frames[i] : NULL);
	return err;
}

/* Add the counts of calls at the end of a call path to the line of the nearest caller that is not
 * an allocator. */
static int add_path(struct builder *b, uint32_t node)
{
	const struct pp_paths *paths = b->profile->paths;
	const uint64_t *counts = choose_counts(b, paths->nodes[node].self, true);
	const struct pp_place *place;
	int err;

	if (!counts)
		return -ENOMEM;
	if (!pp_has_counts(counts, b->profile->nr_classes))
		return 0;
	place = pp_path_place(paths, pp_callers_node(b->callers, b->profile, node));
	if (place->kind == PP_PLACE_ROOT) {
		add_counts(b->sources->total, counts, b->profile->nr_classes);
		return add_unlined(b, pp_callers_binary(b->profile, node), counts);
	}
	err = add_totals(b, place->code, counts);
	return err ? err : add_hit(b, place->file, place->line, place->code, counts, 0);
}

static int add_paths(struct builder *b)
{
	const struct pp_paths *paths = b->callers ? b->profile->paths : NULL;
	int err = 0;

	for (size_t i = 1; paths && i < paths->nr_nodes && !err; i++)
		if (paths->nodes[i].self)
			err = add_path(b, i);
	return err;
}

static int add_symbols(struct builder *b)
{
	int err = 0;

	for (size_t i = 0; i < b->profile->nr_codes && !err; i++) {
		const struct pp_code *code = &b->profile->codes[i];

		if (b->by_code[i] && code->file && code->line)
			err = add_hit(b, code->file, code->line, i, b->by_code[i], 1);
	}
	return err;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->is_symbol != y->is_symbol)
		return x->is_symbol - y->is_symbol;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

/* Sum the hits of a source file, which are sorted by line, to one count for each line. */
static int finish_lines(struct builder *b, struct pp_source_file *file, const struct hit *hits,
			size_t nr)
{
	struct pp_sources *sources = b->sources;

	for (size_t i = 0; i < nr; i++) {
		struct pp_source_count *line;

		if (!file->nr_lines || file->lines[file->nr_lines - 1].line != hits[i].line) {
			line = &file->lines[file->nr_lines++];
			line->line = hits[i].line;
			line->counts = pp_block_alloc(&sources->blocks, sources->nr_classes);
			if (!line->counts)
				return -ENOMEM;
		}
		line = &file->lines[file->nr_lines - 1];
		add_counts(line->counts, hits[i].counts, sources->nr_classes);
		add_counts(file->counts, hits[i].counts, sources->nr_classes);
		add_counts(sources->counts, hits[i].counts, sources->nr_classes);
	}
	return 0;
}

/* Sort functions by line. Sort functions of the same line, such as instances of a template, by
 * samples. */
static int compare_symbols(const void *a, const void *b)
{
	const struct pp_source_symbol *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->counts[0] != y->counts[0])
		return x->counts[0] > y->counts[0] ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

/* Return a binary with code of the source file, preferably one that root owns. */
static uint32_t choose_binary(const struct pp_profile *profile, const struct hit *hits, size_t nr)
{
	uint32_t binary = profile->codes[hits->code].binary;

	for (size_t i = 1; i < nr && profile->binaries[binary].info.owner; i++)
		if (!profile->binaries[profile->codes[hits[i].code].binary].info.owner)
			binary = profile->codes[hits[i].code].binary;
	return binary;
}

static int finish_file(struct builder *b, const struct hit *hits, size_t nr, size_t *next_count,
		       size_t *next_symbol)
{
	struct pp_sources *sources = b->sources;
	struct pp_source_file *file = &sources->files[sources->nr_files];
	size_t nr_lined = 0;

	while (nr_lined < nr && !hits[nr_lined].is_symbol)
		nr_lined++;
	if (!nr_lined)
		/* functions start in the file, but all their samples are in code inlined from other
		 * files */
		return 0;
	*file = (struct pp_source_file){
		.path = hits->path,
		.counts = pp_block_alloc(&sources->blocks, sources->nr_classes),
		.lines = sources->count_items + *next_count,
		.symbols = sources->symbol_items + *next_symbol,
		.binary = choose_binary(b->profile, hits, nr_lined),
	};
	if (!file->counts || finish_lines(b, file, hits, nr_lined))
		return -ENOMEM;
	for (size_t i = nr_lined; i < nr; i++)
		file->symbols[file->nr_symbols++] = (struct pp_source_symbol){
			.line = hits[i].line, .code = hits[i].code, .counts = hits[i].counts
		};
	if (file->nr_symbols)
		qsort(file->symbols, file->nr_symbols, sizeof(*file->symbols), compare_symbols);
	*next_count += file->nr_lines;
	*next_symbol += file->nr_symbols;
	sources->nr_files++;
	return 0;
}

/* Count the files and the function starts of the sorted hits: upper limits for the arrays to
 * allocate. */
static void measure(const struct builder *b, size_t *files, size_t *symbols)
{
	*files = *symbols = 0;
	for (size_t i = 0; i < b->nr_hits; i++) {
		*files += !i || b->hits[i].path != b->hits[i - 1].path;
		*symbols += b->hits[i].is_symbol;
	}
}

static int finish_files(struct builder *b)
{
	struct pp_sources *sources = b->sources;
	size_t nr_files, nr_symbols, next_count = 0, next_symbol = 0;
	int err = 0;

	if (b->nr_hits)
		qsort(b->hits, b->nr_hits, sizeof(*b->hits), compare_hits);
	measure(b, &nr_files, &nr_symbols);
	sources->files = calloc(nr_files + 1, sizeof(*sources->files));
	sources->count_items = calloc(b->nr_hits + 1, sizeof(*sources->count_items));
	sources->symbol_items = calloc(nr_symbols + 1, sizeof(*sources->symbol_items));
	if (!sources->files || !sources->count_items || !sources->symbol_items)
		return -ENOMEM;
	for (size_t i = 0, j; i < b->nr_hits && !err; i = j) {
		for (j = i + 1; j < b->nr_hits && b->hits[j].path == b->hits[i].path; j++)
			;
		err = finish_file(b, &b->hits[i], j - i, &next_count, &next_symbol);
	}
	return err;
}

static int compare_files(const void *a, const void *b, void *arg)
{
	const struct pp_source_file *x = a, *y = b;
	const struct pp_sources *sources = arg;

	for (size_t i = 0; i < sources->nr_classes; i++)
		if (x->counts[i] != y->counts[i])
			return x->counts[i] > y->counts[i] ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int build(struct builder *b)
{
	const struct pp_profile *profile = b->profile;
	struct pp_sources *sources = b->sources;
	int err = 0;

	sources->nr_classes = profile->nr_classes;
	sources->counts = pp_block_alloc(&sources->blocks, profile->nr_classes);
	sources->total = pp_block_alloc(&sources->blocks, profile->nr_classes);
	sources->unlined = calloc(profile->nr_binaries + 1, sizeof(*sources->unlined));
	b->by_code = calloc(profile->nr_codes + 1, sizeof(*b->by_code));
	if (!sources->counts || !sources->total || !sources->unlined || !b->by_code)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		if (profile->entries[i].counts)
			err = add_entry(b, &profile->entries[i]);
	if (!err)
		err = add_paths(b);
	if (!err)
		err = add_symbols(b);
	if (!err)
		err = finish_files(b);
	if (!err)
		qsort_r(sources->files, sources->nr_files, sizeof(*sources->files), compare_files,
			sources);
	return err;
}

int pp_sources_make(struct pp_sources **ret, const struct pp_profile *profile,
		    const struct pp_callers *callers)
{
	struct builder b = { .profile = profile, .callers = callers };
	int err = -ENOMEM;

	b.sources = calloc(1, sizeof(*b.sources));
	if (b.sources)
		err = build(&b);
	free(b.by_code);
	free(b.hits);
	pp_intern_release(&b.names);
	if (err)
		pp_sources_destroy(b.sources);
	else
		*ret = b.sources;
	return err;
}

void pp_sources_destroy(struct pp_sources *sources)
{
	if (!sources)
		return;
	free(sources->files);
	free(sources->count_items);
	free(sources->symbol_items);
	free(sources->unlined);
	pp_block_free(sources->blocks);
	pp_block_free(sources->strings);
	free(sources);
}
