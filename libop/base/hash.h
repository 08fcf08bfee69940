/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h -- hash tables of structures that the caller owns.
 *
 * A structure in a table contains a struct op_hash_link; the table neither allocates nor frees
 * structures. One thread uses a table at a time.
 *
 * 	struct op_hash_link *link;
 *
 * 	for (link = op_hash_first(&table, hash); link; link = op_hash_next(link))
 * 		if (is_wanted(container(link)))
 * 			...
 */
#ifndef OP_HASH_H
#define OP_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The hash of no bytes, with which op_hash_bytes() starts. */
#define OP_HASH_BEGIN	0xcbf29ce484222325u

/* Return @hash extended by the @size bytes at @data, by the algorithm FNV-1a. */
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

/* Return @hash extended by a number. All bits of the number affect the low bits of the result. */
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
	size_t nr_buckets;	/* number of buckets, a power of two */
	size_t nr;
};

/* Initialize an empty table. Return 0 or -ENOMEM. */
int op_hash_init(struct op_hash_table *t);
/* Free the buckets of a table, which may be all zeros. The caller must free the structures, for
 * example by op_hash_filter(). */
void op_hash_release(struct op_hash_table *t);

/* Add @link to the table. @link must stay valid until it is removed. The function cannot fail: if
 * memory for more buckets is short, the chains get longer. */
void op_hash_add(struct op_hash_table *t, struct op_hash_link *link, uint64_t hash);
void op_hash_remove(struct op_hash_table *t, struct op_hash_link *link);

/* op_hash_first(): return the first entry with the hash @hash. op_hash_next(): return the next
 * entry with the same hash as @link. NULL: no more entries. */
struct op_hash_link *op_hash_first(const struct op_hash_table *t, uint64_t hash);
struct op_hash_link *op_hash_next(const struct op_hash_link *link);

/* Call @gone for all entries, in any order. If @gone returns true, the entry is removed from the
 * table; @gone may free it. */
void op_hash_filter(struct op_hash_table *t, bool (*gone)(struct op_hash_link *link, void *arg),
		    void *arg);

/* Loop over all entries, in any order. @i: a variable of type size_t. */
#define op_hash_for_each(t, i, link)					\
	for ((i) = 0; (i) < (t)->nr_buckets; (i)++)			\
		for ((link) = (t)->buckets[i]; (link); (link) = (link)->next)

#endif
