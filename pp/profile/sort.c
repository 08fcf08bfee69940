// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c -- sorting of the lines of a profile.
 *
 * There can be millions of lines, and a comparison reads entries, codes and names, which are
 * scattered in memory. The table lists the optimisations and the CPU time (or memory of the whole
 * report) without each of them, for 2.26 million lines of 200 libraries: sorted by samples / sorted
 * by program and name, medians of three. With all optimisations: 0.68 / 1.83 s, 184 MB.
 *
 *   pack the leading keys into a number, and compare
 *   the other keys only in runs of equal numbers         1.94 / 2.90 s, 235 MB
 *   sort the numbers by digits, not by qsort()           0.97 / 2.01 s
 *   copy the names of a run's entries                    0.93 / 2.33 s
 *   rank the titles of images and programs               0.67 / 2.29 s
 *   move the entries one word at a time                  0.61 / 1.80 s, 221 MB
 *   sort runs on all CPUs (two busy CPUs, by name)       3.5 s instead of 3.0 s of elapsed time
 */
#include "config.h"
#include "pp/profile/sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/profile/jobs.h"
#include "pp/profile/paths.h"
#include "pp/profile/short_titles.h"

struct key_word {
	const char *word;
	enum pp_sort_key key;
};

static const struct key_word key_words[] = {
	{ "sample", PP_SORT_SAMPLE }, { "image", PP_SORT_IMAGE }, { "app-name", PP_SORT_APP },
	{ "symbol", PP_SORT_SYMBOL }, { "debug", PP_SORT_DEBUG }, { "vma", PP_SORT_VMA },
	{ "inclusive", PP_SORT_INCLUSIVE },
};

static int find_key(const char *word, size_t len, enum pp_sort_key *ret)
{
	for (size_t i = 0; i < sizeof(key_words) / sizeof(key_words[0]); i++) {
		if (strlen(key_words[i].word) == len && !memcmp(key_words[i].word, word, len)) {
			*ret = key_words[i].key;
			return 0;
		}
	}
	return -EINVAL;
}

int pp_order_parse(struct pp_order *ret, const char *keys, const char **bad)
{
	struct pp_order order = { 0 };
	unsigned int used = 0;
	size_t nr = 0;

	while (keys) {
		size_t len = strcspn(keys, ",");
		enum pp_sort_key key;

		if (find_key(keys, len, &key)) {
			*bad = keys;
			return -EINVAL;
		}
		if (!(used & 1u << key))
			order.keys[nr++] = key;
		used |= 1u << key;
		keys = keys[len] ? keys + len + 1 : NULL;
	}
	for (int key = 0; key < PP_NR_SORT_KEYS; key++)
		if (!(used & 1u << key))
			order.keys[nr++] = key;
	*ret = order;
	return 0;
}

struct sorting {
	const struct pp_order *order;
	const struct pp_profile *profile;
	size_t nr_classes;
	/* Ranks of the titles of images and of programs, because comparing ranks is faster than
	 * comparing titles. */
	uint32_t *image_ranks, *app_ranks;
	/* if packed keys are equal, the name of the function is the next sort key */
	bool name_decides;
};

static int compare_counts(const uint64_t *a, const uint64_t *b, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (a[i] != b[i])
			return a[i] > b[i] ? -1 : 1;
	return 0;
}

static int compare_titles(const struct sorting *sorting, const char *a, const char *b)
{
	int d = 0;

	if (!sorting->order->long_filenames)
		d = strcmp(pp_short_name(a), pp_short_name(b));
	return d ? d : strcmp(a, b);
}

/* Compare the source lines of two functions. Functions without a line sort last. */
static int compare_lines_of_code(const struct pp_code *x, const struct pp_code *y)
{
	int d = 0;

	if (!x->file || !y->file)
		return !x->file - !y->file;
	if (x->file != y->file)
		d = strcmp(x->file, y->file);
	return d ? d : op_compare_u64(x->line, y->line);
}

static int compare_entries(const struct sorting *s, const struct pp_entry *x,
			   const struct pp_entry *y)
{
	const struct pp_code *code_x = pp_entry_code(s->profile, x),
			     *code_y = pp_entry_code(s->profile, y);
	int d = 0;

	for (int i = 0; i < PP_NR_SORT_KEYS && !d; i++) {
		switch (s->order->keys[i]) {
		case PP_SORT_SAMPLE:
			d = compare_counts(x->counts, y->counts, s->nr_classes);
			break;
		case PP_SORT_IMAGE:
			d = op_compare_u64(s->image_ranks[x->group], s->image_ranks[y->group]);
			break;
		case PP_SORT_APP:
			d = op_compare_u64(s->app_ranks[x->group], s->app_ranks[y->group]);
			break;
		case PP_SORT_SYMBOL:
			d = code_x == code_y ? 0 : strcmp(code_x->name, code_y->name);
			break;
		case PP_SORT_DEBUG:
			d = compare_lines_of_code(code_x, code_y);
			break;
		case PP_SORT_VMA:
			d = op_compare_u64(code_x->vma, code_y->vma);
			break;
		case PP_SORT_INCLUSIVE:
			if (s->profile->has_totals)
				d = compare_counts(pp_entry_total(s->profile, x),
						   pp_entry_total(s->profile, y), s->nr_classes);
			break;
		case PP_NR_SORT_KEYS:
			break;
		}
	}
	return d;
}

/* An entry (line of the symbol list) during sorting. .key has as many of the first sort keys as fit
 * into the number. */
struct item {
	uint32_t key;
	uint32_t entry;
};

#define KEY_BITS	32

/* An entry in a run of entries with equal packed keys. Most comparisons are decided by the name, so
 * the name is copied here. */
struct member {
	const char *name;
	const struct pp_entry *entry;
};

static int compare_members(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	const struct member *x = a, *y = b;
	int d = 0;

	if (s->name_decides)
		d = x->name == y->name ? 0 : strcmp(x->name, y->name);
	if (!d)
		d = compare_entries(s, x->entry, y->entry);
	return s->order->reverse ? -d : d;
}

static unsigned int bits_for(uint64_t max)
{
	return max ? 64 - __builtin_clzll(max) : 1;
}

/* How the first sort keys of a line are packed into one number. */
struct packing {
	uint64_t max_count;
	unsigned int rank_bits, count_bits;
	unsigned int used;	/* number of bits of the packed key that are used */
};

/* Return the first characters of a name as a number. Numbers compare as strcmp() compares the
 * characters. */
static uint32_t first_characters(const char *name)
{
	uint32_t part = 0;

	for (int i = 0; i < 4; i++) {
		part = part << 8 | (unsigned char)*name;
		name += !!*name;
	}
	return part;
}

static uint32_t pack(struct sorting *s, struct packing *p, const struct pp_entry *entry)
{
	unsigned int left = KEY_BITS, bits;
	uint32_t key = 0;
	uint64_t part;

	for (int i = 0; i < PP_NR_SORT_KEYS && left; i++) {
		enum pp_sort_key what = s->order->keys[i];

		if (what == PP_SORT_SAMPLE) {
			part = p->max_count - entry->counts[0];
			bits = p->count_bits;
		} else if (what == PP_SORT_IMAGE || what == PP_SORT_APP) {
			part = what == PP_SORT_IMAGE ? s->image_ranks[entry->group] :
						       s->app_ranks[entry->group];
			bits = p->rank_bits;
		} else if (what == PP_SORT_SYMBOL && left == KEY_BITS) {
			part = first_characters(pp_entry_code(s->profile, entry)->name);
			bits = 32;
		} else {
			s->name_decides = what == PP_SORT_SYMBOL;
			break;
		}
		/* if only a part of this sort key fits, pack its upper bits and stop */
		if (bits > left) {
			key = (uint64_t)key << left | part >> (bits - left);
			left = 0;
			break;
		}
		key = (uint64_t)key << bits | part;
		left -= bits;
		/* With several classes of samples, pack only the count of the first class, and
		 * stop: the counts of the other classes would come before the next sort key. */
		if (what == PP_SORT_SAMPLE && s->nr_classes > 1)
			break;
	}
	p->used = KEY_BITS - left;
	return s->order->reverse ? ~key & (uint32_t)((1ull << p->used) - 1) : key;
}

struct title_rank {
	const char *title;
	uint32_t group;
};

static int compare_title_ranks(const void *a, const void *b, void *arg)
{
	const struct title_rank *x = a, *y = b;

	return compare_titles(arg, x->title, y->title);
}

/* Return an array with the rank of the title of each group (a program's samples in a binary), or
 * NULL if out of memory. @apps: titles of programs rather than images. Equal titles have equal
 * ranks. */
static uint32_t *rank_titles(const struct sorting *s, int apps)
{
	size_t nr = s->profile->nr_groups;
	struct title_rank *titles = calloc(nr + 1, sizeof(*titles));
	uint32_t *ranks = calloc(nr + 1, sizeof(*ranks)), rank = 0;

	if (!titles || !ranks) {
		free(titles);
		free(ranks);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++) {
		titles[i].title = apps ? s->profile->groups[i].app : s->profile->groups[i].image;
		titles[i].group = i;
	}
	qsort_r(titles, nr, sizeof(*titles), compare_title_ranks, (void *)s);
	for (size_t i = 0; i < nr; i++) {
		rank += i && strcmp(titles[i].title, titles[i - 1].title);
		ranks[titles[i].group] = rank;
	}
	free(titles);
	return ranks;
}

#define DIGIT	11	/* number of bits of a key that one pass of the radix sort uses */

/* Sort stably by key, which has @used bits (radix sort). @spare: an array of @nr items. Return the
 * array with the result, @items or @spare. */
static struct item *sort_by_key(struct item *items, struct item *spare, size_t nr,
				unsigned int used)
{
	for (unsigned int shift = 0; shift < used; shift += DIGIT) {
		size_t starts[1 << DIGIT] = { 0 }, sum = 0;
		struct item *swap = items;

		for (size_t i = 0; i < nr; i++)
			starts[items[i].key >> shift & ((1 << DIGIT) - 1)]++;
		for (size_t d = 0; d < 1 << DIGIT; d++) {
			size_t n = starts[d];

			starts[d] = sum;
			sum += n;
		}
		for (size_t i = 0; i < nr; i++)
			spare[starts[items[i].key >> shift & ((1 << DIGIT) - 1)]++] = items[i];
		items = spare;
		spare = swap;
	}
	return items;
}

/* Runs of items with equal packed keys. Threads sort each run by the complete sort order. */
struct runs {
	const struct sorting *sorting;
	struct item *items;
	size_t nr;
};

/* number of items that one job sorts; a run belongs to the job of its first item */
#define PIECE	16384

static int sort_run(const struct sorting *s, struct item *items, size_t nr)
{
	struct member few[256], *members = few;

	if (nr > sizeof(few) / sizeof(few[0]))
		members = malloc(nr * sizeof(*members));
	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		members[i].entry = &s->profile->entries[items[i].entry];
		members[i].name = pp_entry_code(s->profile, members[i].entry)->name;
	}
	qsort_r(members, nr, sizeof(*members), compare_members, (void *)s);
	for (size_t i = 0; i < nr; i++)
		items[i].entry = members[i].entry - s->profile->entries;
	if (members != few)
		free(members);
	return 0;
}

static int sort_piece(void *arg, size_t piece)
{
	const struct runs *runs = arg;
	struct item *items = runs->items;
	size_t end = (piece + 1) * PIECE < runs->nr ? (piece + 1) * PIECE : runs->nr, i, j;
	int err = 0;

	for (i = piece * PIECE; i && i < end && items[i].key == items[i - 1].key; i++)
		;
	for (; i < end && !err; i = j) {
		for (j = i + 1; j < runs->nr && items[j].key == items[i].key; j++)
			;
		if (j - i > 1)
			err = sort_run(runs->sorting, items + i, j - i);
	}
	return err;
}

static const struct pp_jobs_ops sort_jobs = { .work = sort_piece };

static int sort_items(const struct sorting *s, struct item **items, struct item **spare, size_t nr,
		      unsigned int used)
{
	struct item *sorted = sort_by_key(*items, *spare, nr, used);
	struct runs runs = { s, sorted, nr };

	if (sorted != *items) {
		*spare = *items;
		*items = sorted;
	}
	free(*spare);
	*spare = NULL;
	return pp_jobs_run((nr + PIECE - 1) / PIECE, 0, &sort_jobs, &runs);
}

/* Move the profile's entries (the symbol list) to the order of @items. Move one word of all entries
 * at a time, because a second array of entries would increase the peak memory use of the report. */
static int reorder(struct pp_profile *profile, const struct item *items)
{
	char *entries = (char *)profile->entries;
	size_t nr = profile->nr_entries;
	uint64_t *words = malloc((nr + 1) * sizeof(*words));

	_Static_assert(sizeof(struct pp_entry) % sizeof(*words) == 0, "entries are whole words");
	if (!words)
		return -ENOMEM;
	for (size_t at = 0; at < sizeof(struct pp_entry); at += sizeof(*words)) {
		for (size_t i = 0; i < nr; i++)
			memcpy(&words[i], entries + items[i].entry * sizeof(struct pp_entry) + at,
			       sizeof(*words));
		for (size_t i = 0; i < nr; i++)
			memcpy(entries + i * sizeof(struct pp_entry) + at, &words[i],
			       sizeof(*words));
	}
	free(words);
	return 0;
}

static int sort_entries(struct sorting *s, struct pp_profile *profile)
{
	struct packing packing = { .rank_bits = bits_for(profile->nr_groups) };
	struct item *items = malloc((profile->nr_entries + 1) * sizeof(*items));
	struct item *spare = malloc((profile->nr_entries + 1) * sizeof(*items));
	int err = -ENOMEM;

	s->image_ranks = rank_titles(s, 0);
	s->app_ranks = rank_titles(s, 1);
	if (!items || !spare || !s->image_ranks || !s->app_ranks)
		goto done;
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts[0] > packing.max_count)
			packing.max_count = profile->entries[i].counts[0];
	packing.count_bits = bits_for(packing.max_count);
	for (size_t i = 0; i < profile->nr_entries; i++)
		items[i] = (struct item){ pack(s, &packing, &profile->entries[i]), i };
	err = sort_items(s, &items, &spare, profile->nr_entries, packing.used);
	if (!err)
		err = reorder(profile, items);
done:
	free(s->image_ranks);
	free(s->app_ranks);
	free(items);
	free(spare);
	return err;
}

/* Compare two programs, or two binaries of a program. Use only the sort keys that are counts or
 * titles. */
static int compare_lines(const struct sorting *sorting, const char *title_a,
			 const uint64_t *counts_a, const char *title_b, const uint64_t *counts_b)
{
	int d = 0;

	for (int i = 0; i < PP_NR_SORT_KEYS && !d; i++) {
		enum pp_sort_key key = sorting->order->keys[i];

		if (key == PP_SORT_SAMPLE || key == PP_SORT_INCLUSIVE)
			d = compare_counts(counts_a, counts_b, sorting->nr_classes);
		else if (key == PP_SORT_IMAGE || key == PP_SORT_APP)
			d = compare_titles(sorting, title_a, title_b);
	}
	return sorting->order->reverse ? -d : d;
}

static int compare_apps(const void *a, const void *b, void *arg)
{
	const struct pp_app *x = a, *y = b;

	return compare_lines(arg, x->app, x->counts, y->app, y->counts);
}

static int compare_dependents(const void *a, const void *b, void *arg)
{
	const struct pp_dependent *x = a, *y = b;

	return compare_lines(arg, x->image, x->counts, y->image, y->counts);
}

int pp_profile_sort(struct pp_profile *profile, const struct pp_order *order)
{
	struct sorting sorting = {
		.order = order, .profile = profile, .nr_classes = profile->nr_classes};

	if (profile->nr_apps)
		qsort_r(profile->apps, profile->nr_apps, sizeof(*profile->apps), compare_apps,
			&sorting);
	for (size_t i = 0; i < profile->nr_apps; i++)
		if (profile->apps[i].nr_dependents)
			qsort_r(profile->apps[i].dependents, profile->apps[i].nr_dependents,
				sizeof(*profile->apps[i].dependents), compare_dependents, &sorting);
	return sort_entries(&sorting, profile);
}

/* The following functions remove lines of a profile that are below the threshold (--threshold). */

bool pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent)
{
	for (size_t i = 0; i < nr_classes; i++)
		if (totals[i] && 100.0 * counts[i] / totals[i] >= percent)
			return true;
	return false;
}

/* Remove the binaries of a program with less than @percent of all samples. */
static void thin_dependents(const struct pp_profile *profile, struct pp_app *app, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < app->nr_dependents; i++)
		if (pp_reaches(app->dependents[i].counts, profile->totals, profile->nr_counts,
			       percent))
			app->dependents[kept++] = app->dependents[i];
	app->nr_dependents = kept;
}

/* Remove each node of the call paths that is below the threshold in all classes of samples, and the
 * descendants of the node. */
static void thin_paths(struct pp_paths *paths, const struct pp_profile *profile, double percent)
{
	for (size_t i = 0; i < paths->nr_nodes; i++) {
		struct pp_path_node *node = &paths->nodes[i];
		uint32_t *children = &paths->children[node->first], kept = 0;

		for (uint32_t c = 0; c < node->nr; c++)
			if (pp_reaches(paths->nodes[children[c]].total, profile->totals,
				       profile->nr_counts, percent))
				children[kept++] = children[c];
		node->nr = kept;
	}
}

static void thin_apps(struct pp_profile *profile, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->nr_apps; i++) {
		if (pp_reaches(profile->apps[i].counts, profile->totals, profile->nr_counts,
			       percent))
			profile->apps[kept++] = profile->apps[i];
		else
			free(profile->apps[i].dependents);
	}
	profile->nr_apps = kept;
	for (size_t i = 0; i < profile->nr_apps; i++)
		thin_dependents(profile, &profile->apps[i], percent);
}

void pp_profile_threshold(struct pp_profile *profile, double percent)
{
	size_t kept = 0;

	/* With inclusive totals, keep all programs and images: the total of a function may reach
	 * the threshold even if its program or image does not. */
	if (!profile->has_totals)
		thin_apps(profile, percent);
	if (profile->paths)
		thin_paths(profile->paths, profile, percent);
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (pp_reaches(pp_entry_rank(profile, &profile->entries[i]), profile->totals,
			       profile->nr_counts, percent))
			profile->entries[kept++] = profile->entries[i];
	profile->nr_entries = kept;
}
