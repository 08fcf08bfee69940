/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h -- tables of things that are found by what is in them.
 *
 * The table owns no thing and allocates none: a thing has a struct op_hash_link in it. One thread.
 *
 *	struct op_hash_link *link;
 *
 *	for (link = op_hash_first(&table, hash); link; link = op_hash_next(link))
 *		if (is_wanted(container(link)))
 *			...
 */
#ifndef OP_HASH_H
#define OP_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where a hash begins. */
#define OP_HASH_BEGIN	0xcbf29ce484222325u

/* @hash with @size bytes more: FNV-1a. */
static inline uint64_t op_hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3u;
	return hash;
}

static inline uint64_t op_hash_text(uint64_t hash, const char *text)
{
	return op_hash_bytes(hash, text, strlen(text));
}

/* @hash with a number more; all of its bits reach the low ones. */
static inline uint64_t op_hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

struct op_hash_link {
	struct op_hash_link *next;
	uint64_t hash;
};

struct op_hash_table {
	struct op_hash_link **buckets;
	size_t nr_buckets;	/* a power of two */
	size_t nr;
};

/* 0 or ENOMEM. */
int op_hash_init(struct op_hash_table *t);
/* The things are their owner's to free; op_hash_filter() visits them. Takes a table of zeros. */
void op_hash_release(struct op_hash_table *t);

/* Cannot fail: without memory for more buckets the chains get longer. @link is to live until it is removed. */
void op_hash_add(struct op_hash_table *t, struct op_hash_link *link, uint64_t hash);
void op_hash_remove(struct op_hash_table *t, struct op_hash_link *link);

/* Those with @hash, one by one; NULL at the end. */
struct op_hash_link *op_hash_first(const struct op_hash_table *t, uint64_t hash);
struct op_hash_link *op_hash_next(const struct op_hash_link *link);

/* Visits all, in no order; those that @gone gives true for are in the table no more, and may have been freed. */
void op_hash_filter(struct op_hash_table *t, bool (*gone)(struct op_hash_link *link, void *arg),
		    void *arg);

/* Visits all, in no order. @i: a size_t. */
#define op_hash_for_each(t, i, link)					\
	for ((i) = 0; (i) < (t)->nr_buckets; (i)++)			\
		for ((link) = (t)->buckets[i]; (link); (link) = (link)->next)

#endif
