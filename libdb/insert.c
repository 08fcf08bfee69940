// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insert.c -- updates of the counts of keys.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>

#define MAX_COUNT	(1ULL << 40)	/* limit of a count, far above any real count */

/*
 * Append a node to the chain that begins at *@head. The store of current_size commits the node. If
 * the process dies between this store and the store of *@head, the next odb_open() links the node.
 */
static void append(struct odb *db, uint64_t key, uint32_t value)
{
	uint32_t i = db->used;
	uint32_t *head = &db->hash[odb_bucket(key, db->size)];
	struct odb_node *node = &db->nodes[i];

	__atomic_store_n(&node->key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&node->value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&node->next, *head, __ATOMIC_RELAXED);
	if (i == 1)	/* the header is still zero, because the file is new */
		__atomic_store_n(&db->descr->size, db->size, __ATOMIC_RELEASE);
	db->used = i + 1;
	__atomic_store_n(&db->descr->current_size, i + 1, __ATOMIC_RELEASE);
	__atomic_store_n(head, i, __ATOMIC_RELEASE);
}

/* Add @count in a new node at the head of the chain, because no node has the key yet, or because
 * the sum would not fit into the newest node with the key. */
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

	/* odb_open() checked that chains descend (layout.h). Checking it here again ends the
	 * loop inside the mapping even if a second writer breaks the rules. */
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

	/* A node without a value is not in a chain: a repair left it, or it is node 0. */
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

	/* A number out of range gives an address outside the mapping; prefetching it has no
	 * effect. */
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
