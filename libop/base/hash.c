// SPDX-License-Identifier: GPL-2.0-or-later
/* hash.c -- hash tables with a chain of entries in each bucket. The number of buckets grows with
 * the number of entries. */
#include "config.h"
#include "libop/base/hash.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST	64

static struct op_hash_link **bucket_of(const struct op_hash_table *t, uint64_t hash)
{
	/* Use both halves of the hash, because the high bits of an FNV-1a hash are mixed better
	 * than the low bits. */
	return &t->buckets[(hash ^ hash >> 32) & (t->nr_buckets - 1)];
}

int op_hash_init(struct op_hash_table *t)
{
	struct op_hash_link **buckets = calloc(FIRST, sizeof(*buckets));

	/* If memory is short, leave the table all zeros, because op_hash_filter() and
	 * op_hash_for_each() accept such a table. */
	*t = (struct op_hash_table){ .buckets = buckets, .nr_buckets = buckets ? FIRST : 0 };
	return buckets ? 0 : -ENOMEM;
}

void op_hash_release(struct op_hash_table *t)
{
	free(t->buckets);
	*t = (struct op_hash_table){ 0 };
}

static void put(struct op_hash_table *t, struct op_hash_link *link)
{
	struct op_hash_link **bucket = bucket_of(t, link->hash);

	link->next = *bucket;
	*bucket = link;
}

static void grow(struct op_hash_table *t)
{
	struct op_hash_table new = { .nr_buckets = 2 * t->nr_buckets, .nr = t->nr };

	new.buckets = calloc(new.nr_buckets, sizeof(struct op_hash_link *));
	if (!new.buckets)
		return;
	for (size_t i = 0; i < t->nr_buckets; i++) {
		struct op_hash_link *link = t->buckets[i];

		while (link) {
			struct op_hash_link *next = link->next;

			put(&new, link);
			link = next;
		}
	}
	free(t->buckets);
	*t = new;
}

void op_hash_add(struct op_hash_table *t, struct op_hash_link *link, uint64_t hash)
{
	if (t->nr >= t->nr_buckets)
		grow(t);
	link->hash = hash;
	put(t, link);
	t->nr++;
}

void op_hash_remove(struct op_hash_table *t, struct op_hash_link *link)
{
	struct op_hash_link **at = bucket_of(t, link->hash);

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	t->nr--;
}

static struct op_hash_link *same(struct op_hash_link *link, uint64_t hash)
{
	while (link && link->hash != hash)
		link = link->next;
	return link;
}

struct op_hash_link *op_hash_first(const struct op_hash_table *t, uint64_t hash)
{
	return same(*bucket_of(t, hash), hash);
}

struct op_hash_link *op_hash_next(const struct op_hash_link *link)
{
	return same(link->next, link->hash);
}

void op_hash_filter(struct op_hash_table *t, bool (*gone)(struct op_hash_link *link, void *arg),
		    void *arg)
{
	for (size_t i = 0; i < t->nr_buckets; i++) {
		struct op_hash_link **at = &t->buckets[i];

		while (*at) {
			struct op_hash_link *link = *at, *next = link->next;

			if (gone(link, arg)) {
				*at = next;
				t->nr--;
			} else {
				at = &link->next;
			}
		}
	}
}
