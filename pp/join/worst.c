// SPDX-License-Identifier: GPL-2.0-or-later
/* worst.c -- the functions whose share of the samples differs most between columns. */
#include "config.h"
#include "pp/join/worst.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS	3	/* number of standard errors that a difference must exceed */
/* Number of samples that are added to those of the function, and to those of others, so that a
 * column with few samples has a large error (Agresti and Caffo). pp/store/worst.h has the same. */
#define PRIOR	2.25

struct scored {
	struct pp_entry entry;
	double score;		/* certain part of the largest difference of shares */
	uint64_t sum;
};

static bool is_same_event(const struct pp_class *a, const struct pp_class *b)
{
	return a->count == b->count && a->um == b->um && !strcmp(a->event, b->event);
}

/* Return the difference of the shares of two columns that have @a of @n and @b of @m samples, less
 * the part that may be chance. */
static double difference(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
	double first, second, error;

	if (!n || !m)
		return 0;
	first = ((double)a + PRIOR) / ((double)n + 2 * PRIOR);
	second = ((double)b + PRIOR) / ((double)m + 2 * PRIOR);
	error = sqrt(first * (1 - first) / ((double)n + 2 * PRIOR) +
		     second * (1 - second) / ((double)m + 2 * PRIOR));
	return fabs(first - second) - ERRORS * error;
}

static struct scored score(const struct pp_profile *profile, const struct pp_classes *classes,
			   const struct pp_entry *entry)
{
	struct scored ret = { .entry = *entry, .score = -1 };
	const uint64_t *totals = profile->totals;

	for (size_t i = 0; i < classes->nr; i++) {
		ret.sum += entry->counts[i];
		for (size_t k = 0; k < i; k++) {
			double d;

			if (!is_same_event(&classes->items[i], &classes->items[k]))
				continue;
			d = difference(entry->counts[i], totals[i], entry->counts[k], totals[k]);
			ret.score = d > ret.score ? d : ret.score;
		}
	}
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->entry.code < y->entry.code ? -1 : x->entry.code > y->entry.code;
}

static bool has_pair(const struct pp_classes *classes)
{
	for (size_t i = 1; i < classes->nr; i++)
		for (size_t k = 0; k < i; k++)
			if (is_same_event(&classes->items[i], &classes->items[k]))
				return true;
	return false;
}

int pp_worst_select(struct pp_profile *profile, const struct pp_classes *classes, size_t nr)
{
	struct scored *list;

	if (!has_pair(classes))
		return -ENODATA;
	list = calloc(profile->nr_entries + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries; i++)
		list[i] = score(profile, classes, &profile->entries[i]);
	qsort(list, profile->nr_entries, sizeof(*list), compare);
	if (profile->nr_entries > nr)
		profile->nr_entries = nr;
	for (size_t i = 0; i < profile->nr_entries; i++)
		profile->entries[i] = list[i].entry;
	free(list);
	return 0;
}
