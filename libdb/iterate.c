// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iterate.c -- reading of the nodes in the order of their creation, without the hash.
 */
#include "config.h"
#include "libdb/layout.h"

uint32_t odb_nr_nodes(const struct odb *db)
{
	uint32_t used = __atomic_load_n(&db->descr->current_size, __ATOMIC_ACQUIRE);

	/* A writer may have grown the file beyond our mapping since we opened it. */
	return used < db->size ? used : db->size;
}

void odb_node(const struct odb *db, uint32_t i, uint64_t *key, uint32_t *count)
{
	const struct odb_node *node = &db->nodes[i];
	uint32_t value = __atomic_load_n(&node->value, __ATOMIC_RELAXED);

	/* Chains descend in every consistent state, so skip a node that breaks this rule. */
	if (!i || __atomic_load_n(&node->next, __ATOMIC_RELAXED) >= i)
		value = 0;
	*key = __atomic_load_n(&node->key, __ATOMIC_RELAXED);
	*count = value;
}

uint64_t odb_total(const struct odb *db)
{
	uint64_t sum = 0, key;
	uint32_t count;

	for (uint32_t i = odb_next_node(db, 0); i < odb_nr_nodes(db);
	     i = odb_next_node(db, i + 1)) {
		odb_node(db, i, &key, &count);
		sum += count;
	}
	return sum;
}
