// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insert.c -- adding a count to a key: update of an existing node, or insertion of a new node.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>

#define MAX_COUNT	(1ULL << 40)	/* largest count of one update, far above any real count */

/* Append a node to the chain that begins at *@head. The node exists as soon as current_size is
 * stored. If the process dies before it also stores *@head, the next odb_open() links the node. */
static void append(struct odb *db, uint64_t key, uint32_t value)
{
	uint32_t i = db->used;
	uint32_t *head = &db->hash[odb_bucket(key, db->size)];
	struct odb_node *node = &db->nodes[i];

	__atomic_store_n(&node->key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&node->value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&node->next, *head, __ATOMIC_RELAXED);
	if (i == 1)	/* the first node of a new file: write the size, which is still zero */
		__atomic_store_n(&db->descr->size, db->size, __ATOMIC_RELEASE);
	db->used = i + 1;
	__atomic_store_n(&db->descr->current_size, i + 1, __ATOMIC_RELEASE);
	__atomic_store_n(head, i, __ATOMIC_RELEASE);
}

/* Insert a new node with @count at the head of its hash chain. Called if @key has no node yet, or
 * if the sum would overflow the 32-bit count of the newest node with @key. */
static __attribute__((noinline)) int insert(struct odb *db, uint64_t key, uint64_t count)
{
	uint32_t nr_nodes;
	int err;

	if (!count)
		return 0;
	if (count > MAX_COUNT)
		return -ERANGE;
	nr_nodes = (count + UINT32_MAX - 1) / UINT32_MAX;
	while (db->size - db->used < nr_nodes) {
		err = odb_grow(db);
		if (err)
			return err;
	}
	for (; count > UINT32_MAX; count -= UINT32_MAX)
		append(db, key, UINT32_MAX);
	append(db, key, count);
	return 0;
}

int odb_update(struct odb *db, uint64_t key, uint64_t count)
{
	uint32_t i = db->hash[odb_bucket(key, db->size)];
	uint32_t above = db->used;

	/* The numbers of a chain descend (layout.h), and odb_open() checked this. Check each
	 * number here again, so that the loop ends and stays inside the mapping even if a second
	 * writer corrupted the chain. */
	while (i && i < above) {
		struct odb_node *node = &db->nodes[i];

		if (node->key == key) {
			if (count > UINT32_MAX - node->value)
				break;
			__atomic_store_n(&node->value, node->value + (uint32_t)count,
					 __ATOMIC_RELAXED);
			return 0;
		}
		above = i;
		i = node->next;
	}
	return insert(db, key, count);
}

int odb_update_at(struct odb *db, uint32_t node, uint64_t key, uint64_t count)
{
	struct odb_node *n = &db->nodes[node];

	/* Do not add to a node with count 0, because no hash chain contains the node: it is node 0,
	 * or a repair discarded it. */
	if (node < db->used && n->key == key && n->value && count <= UINT32_MAX - n->value) {
		__atomic_store_n(&n->value, n->value + (uint32_t)count, __ATOMIC_RELAXED);
		return 0;
	}
	return odb_update(db, key, count);
}

void odb_fetch_bucket(const struct odb *db, uint64_t key)
{
	__builtin_prefetch(&db->hash[odb_bucket(key, db->size)]);
}

uint32_t odb_fetch_node(const struct odb *db, uint64_t key)
{
	uint32_t node = db->hash[odb_bucket(key, db->size)];

	/* Do not check the node number: prefetching an address outside the mapping does no harm. */
	__builtin_prefetch(&db->nodes[node], 1);
	return node;
}

uint32_t odb_fetch_next(const struct odb *db, uint64_t key, uint32_t node)
{
	if (node >= db->used || db->nodes[node].key == key)
		return node;
	node = db->nodes[node].next;
	__builtin_prefetch(&db->nodes[node], 1);
	return node;
}
