// SPDX-License-Identifier: GPL-2.0-or-later
/* sort.c -- orders and thins out a profile. */
#include "config.h"
#include "pp/profile/sort.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key_word {
	const char *word;
	enum pp_sort_key key;
};

static const struct key_word key_words[] = {
	{ "sample", PP_SORT_SAMPLE }, { "image", PP_SORT_IMAGE },   { "app-name", PP_SORT_APP },
	{ "symbol", PP_SORT_SYMBOL }, { "vma", PP_SORT_VMA },
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

const char *pp_entry_name(const struct pp_entry *entry, char *buf, size_t size)
{
	switch (entry->kind) {
	case PP_ENTRY_SYMBOL:
		return entry->name;
	case PP_ENTRY_IMAGE:
		return entry->image;
	case PP_ENTRY_UNCOVERED:
		return "(no symbol)";
	case PP_ENTRY_ADDRESS:
		snprintf(buf, size, "0x%" PRIx64, entry->vma);
		return buf;
	}
	return "";
}

struct sorting {
	const struct pp_order *order;
	size_t nr_classes;
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

static int compare_entry_names(const struct pp_entry *a, const struct pp_entry *b)
{
	char x[24], y[24];

	if (a->kind == PP_ENTRY_ADDRESS && b->kind == PP_ENTRY_ADDRESS)
		return compare_u64(a->vma, b->vma);
	return strcmp(pp_entry_name(a, x, sizeof(x)), pp_entry_name(b, y, sizeof(y)));
}

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const struct pp_entry *x = a, *y = b;
	int d = 0;

	for (int i = 0; i < PP_NR_SORT_KEYS && !d; i++) {
		switch (sorting->order->keys[i]) {
		case PP_SORT_SAMPLE:
			d = compare_counts(x->counts, y->counts, sorting->nr_classes);
			break;
		case PP_SORT_IMAGE:
			d = compare_titles(sorting, x->image, y->image);
			break;
		case PP_SORT_APP:
			d = compare_titles(sorting, x->app, y->app);
			break;
		case PP_SORT_SYMBOL:
			d = compare_entry_names(x, y);
			break;
		case PP_SORT_VMA:
			d = compare_u64(x->vma, y->vma);
			break;
		case PP_NR_SORT_KEYS:
			break;
		}
	}
	return sorting->order->reverse ? -d : d;
}

/* Of the keys only two mean something here; whichever was asked for first decides. */
static int compare_lines(const struct sorting *sorting, const char *title_a, const uint64_t *counts_a,
			 const char *title_b, const uint64_t *counts_b)
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

void pp_profile_sort(struct pp_profile *profile, const struct pp_order *order)
{
	struct sorting sorting = { order, profile->nr_classes };

	if (profile->nr_apps)
		qsort_r(profile->apps, profile->nr_apps, sizeof(*profile->apps), compare_apps, &sorting);
	for (size_t i = 0; i < profile->nr_apps; i++)
		if (profile->apps[i].nr_dependents)
			qsort_r(profile->apps[i].dependents, profile->apps[i].nr_dependents,
				sizeof(*profile->apps[i].dependents), compare_dependents, &sorting);
	if (profile->nr_entries)
		qsort_r(profile->entries, profile->nr_entries, sizeof(*profile->entries),
			compare_entries, &sorting);
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
		if (pp_reaches(profile->apps[i].counts, profile->totals, profile->nr_classes, percent))
			profile->apps[kept++] = profile->apps[i];
		else
			free(profile->apps[i].dependents);
	}
	profile->nr_apps = kept;
	kept = 0;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		struct pp_entry *entry = &profile->entries[i];

		if (pp_reaches(entry->counts, profile->totals, profile->nr_classes, percent)) {
			profile->entries[kept++] = *entry;
		} else {
			free(entry->name);
			free(entry->details);
		}
	}
	profile->nr_entries = kept;
}
