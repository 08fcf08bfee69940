// SPDX-License-Identifier: GPL-2.0-or-later
/* sort.c -- orders and thins out a profile. */
#include "config.h"
#include "pp/profile/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct key_word {
	const char *word;
	enum pp_sort_key key;
};

static const struct key_word key_words[] = {
	{ "sample", PP_SORT_SAMPLE }, { "image", PP_SORT_IMAGE }, { "app-name", PP_SORT_APP },
	{ "symbol", PP_SORT_SYMBOL }, { "debug", PP_SORT_DEBUG }, { "vma", PP_SORT_VMA },
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

const char *pp_short_name(const char *title)
{
	const char *slash = strrchr(title, '/');

	return slash && slash[1] ? slash + 1 : title;
}

struct sorting {
	const struct pp_order *order;
	const struct pp_profile *profile;
	size_t nr_classes;
	/* Places of the groups' titles in their order, so that entries need not compare strings. */
	uint32_t *image_ranks, *app_ranks;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

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

static int compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* What has no line comes last. */
static int compare_lines_of_code(const struct pp_code *x, const struct pp_code *y)
{
	int d = 0;

	if (!x->file || !y->file)
		return !x->file - !y->file;
	if (x->file != y->file)
		d = strcmp(x->file, y->file);
	return d ? d : compare_u32(x->line, y->line);
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
			d = compare_u32(s->image_ranks[x->group], s->image_ranks[y->group]);
			break;
		case PP_SORT_APP:
			d = compare_u32(s->app_ranks[x->group], s->app_ranks[y->group]);
			break;
		case PP_SORT_SYMBOL:
			d = code_x == code_y ? 0 : strcmp(code_x->name, code_y->name);
			break;
		case PP_SORT_DEBUG:
			d = compare_lines_of_code(code_x, code_y);
			break;
		case PP_SORT_VMA:
			d = compare_u64(code_x->vma, code_y->vma);
			break;
		case PP_NR_SORT_KEYS:
			break;
		}
	}
	return d;
}

/* Stands for an entry while sorting: @key has as much of the order as fits, so that most
 * comparisons touch nothing else. */
struct item {
	uint64_t key;
	uint32_t entry;
};

static int compare_items(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	const struct item *x = a, *y = b;
	int d = compare_u64(x->key, y->key);

	if (!d)
		d = compare_entries(s, &s->profile->entries[x->entry],
				    &s->profile->entries[y->entry]);
	return s->order->reverse ? -d : d;
}

static unsigned int bits_for(uint64_t max)
{
	return max ? 64 - __builtin_clzll(max) : 1;
}

/* How the leading keys of the order are packed into one number. */
struct packing {
	uint64_t max_count;
	unsigned int rank_bits, count_bits;
};

static uint64_t pack(const struct sorting *s, const struct packing *p, const struct pp_entry *entry)
{
	unsigned int left = 64, bits;
	uint64_t key = 0, part;

	for (int i = 0; i < PP_NR_SORT_KEYS; i++) {
		switch (s->order->keys[i]) {
		case PP_SORT_SAMPLE:
			part = p->max_count - entry->counts[0];
			bits = p->count_bits;
			break;
		case PP_SORT_IMAGE:
			part = s->image_ranks[entry->group];
			bits = p->rank_bits;
			break;
		case PP_SORT_APP:
			part = s->app_ranks[entry->group];
			bits = p->rank_bits;
			break;
		default:
			return key << (left < 64 ? left : 0);
		}
		if (bits > left)
			break;
		key = bits < 64 ? key << bits | part : part;
		left -= bits;
		/* What the other classes say comes before the next key. */
		if (s->order->keys[i] == PP_SORT_SAMPLE && s->nr_classes > 1)
			break;
	}
	return left < 64 ? key << left : key;
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

/* Equal titles have equal ranks. */
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

/* Moves each entry to its item's place, along the cycles of the permutation. */
static void permute(struct pp_entry *entries, struct item *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct pp_entry first = entries[i];
		size_t to = i, from;

		while ((from = items[to].entry) != i) {
			entries[to] = entries[from];
			items[to].entry = to;
			to = from;
		}
		entries[to] = first;
		items[to].entry = to;
	}
}

static int sort_entries(struct sorting *s, struct pp_profile *profile)
{
	struct packing packing = { .rank_bits = bits_for(profile->nr_groups) };
	struct item *items = calloc(profile->nr_entries + 1, sizeof(*items));
	int err = -ENOMEM;

	s->image_ranks = rank_titles(s, 0);
	s->app_ranks = rank_titles(s, 1);
	if (!items || !s->image_ranks || !s->app_ranks)
		goto done;
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts[0] > packing.max_count)
			packing.max_count = profile->entries[i].counts[0];
	packing.count_bits = bits_for(packing.max_count);
	for (size_t i = 0; i < profile->nr_entries; i++)
		items[i] = (struct item){ pack(s, &packing, &profile->entries[i]), i };
	qsort_r(items, profile->nr_entries, sizeof(*items), compare_items, s);
	permute(profile->entries, items, profile->nr_entries);
	err = 0;
done:
	free(s->image_ranks);
	free(s->app_ranks);
	free(items);
	return err;
}

/* Of the keys only two mean something here; whichever was asked for first decides. */
static int compare_lines(const struct sorting *sorting, const char *title_a,
			 const uint64_t *counts_a, const char *title_b, const uint64_t *counts_b)
{
	int d = 0;

	for (int i = 0; i < PP_NR_SORT_KEYS && !d; i++) {
		enum pp_sort_key key = sorting->order->keys[i];

		if (key == PP_SORT_SAMPLE)
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

int pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent)
{
	for (size_t i = 0; i < nr_classes; i++)
		if (totals[i] && 100.0 * counts[i] / totals[i] >= percent)
			return 1;
	return 0;
}

void pp_profile_threshold(struct pp_profile *profile, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->nr_apps; i++) {
		if (pp_reaches(profile->apps[i].counts, profile->totals, profile->nr_classes,
			       percent))
			profile->apps[kept++] = profile->apps[i];
		else
			free(profile->apps[i].dependents);
	}
	profile->nr_apps = kept;
	kept = 0;
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (pp_reaches(profile->entries[i].counts, profile->totals, profile->nr_classes,
			       percent))
			profile->entries[kept++] = profile->entries[i];
	profile->nr_entries = kept;
}
