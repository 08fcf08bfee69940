// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c -- consistency check of a sample file, and rebuilding of its hash table from its nodes.
 *
 * A killed writer leaves at most one node that is not linked, or a half-finished growth. After a
 * power cut, each page may have any earlier contents, or zeros. So the code compares each number
 * in the file with the file's length before it uses the number.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero(const void *p, size_t len)
{
	const char *c = p;

	return !len || (!c[0] && !memcmp(c, c + 1, len - 1));
}

/* Return the number of nodes for which a sample file is exactly @len bytes long, or 0 if @len is
 * not the length of a valid file. */
static uint32_t size_of_length(size_t header_size, uint64_t len)
{
	uint64_t body = len - header_size - sizeof(struct odb_descr);
	uint64_t size = body / (sizeof(struct odb_node) + sizeof(uint32_t));

	if (size > ODB_MAX_NODES || !odb_is_size(size) || odb_file_size(header_size, size) != len)
		return 0;
	return size;
}

/*
 * Return the capacity of the file in nodes. Prefer the capacity that follows from the file's
 * length, because the file system keeps the length consistent; otherwise use the size stored in
 * the descriptor. Return 0 if neither is valid: the file is not a sample file.
 */
static uint32_t believed_size(const struct odb *db)
{
	const struct odb_descr *descr = db->descr;
	uint32_t size = __atomic_load_n(&descr->size, __ATOMIC_ACQUIRE);
	uint32_t by_length = size_of_length(db->header_size, db->map_len);

	if (by_length)
		return by_length;
	if (odb_is_size(size) && size <= ODB_MAX_NODES &&
	    is_zero(descr->padding, sizeof(descr->padding)))
		return size;
	return 0;
}

static uint32_t nodes_in_mapping(const struct odb *db)
{
	uint64_t nodes = (db->map_len - db->header_size - sizeof(struct odb_descr)) /
			 sizeof(struct odb_node);

	return nodes < ODB_MAX_NODES ? nodes : ODB_MAX_NODES;
}

int odb_check_read(struct odb *db)
{
	uint32_t used, size, nodes;

	odb_set_pointers(db, 0);
	/* Read current_size before size. In the other order, a writer that grows the file between
	 * the two reads could make current_size exceed size. */
	used = __atomic_load_n(&db->descr->current_size, __ATOMIC_ACQUIRE);
	size = __atomic_load_n(&db->descr->size, __ATOMIC_ACQUIRE);
	if (!used && !size)
		return ODB_ERR_EMPTY;
	size = believed_size(db);
	if (!size)
		return ODB_ERR_FORMAT;
	nodes = nodes_in_mapping(db);
	db->size = size < nodes ? size : nodes;
	return 0;
}

/* Link the newest node into its hash chain. A writer that is killed may have stored the node
 * without linking it. */
static void link_last(struct odb *db)
{
	uint32_t last = db->used - 1;
	struct odb_node *node = &db->nodes[last];
	uint32_t *head = &db->hash[odb_bucket(node->key, db->size)];

	if (last && node->value && *head != last && node->next == *head)
		*head = last;
}

/* Check the chain of each live node against the rules of layout.h. Return 1 if all are correct, 0
 * if not, or -ENOMEM. */
static int is_linked(const struct odb *db)
{
	uint32_t *heads = calloc(db->size, sizeof(*heads));
	int good = 1;

	if (!heads)
		return -ENOMEM;
	for (uint32_t i = 1; i < db->used && good; i++) {
		const struct odb_node *node = &db->nodes[i];
		uint32_t *head = &heads[odb_bucket(node->key, db->size)];

		if (!node->value)
			continue;
		good = node->next == *head;
		*head = i;
	}
	if (good)
		good = !memcmp(heads, db->hash, (size_t)db->size * sizeof(*heads));
	free(heads);
	return good;
}

/*
 * Return false if node @i is certainly invalid: after a power cut, its page may contain parts of an
 * old hash table. Return true in case of doubt, because dropping a node loses its counts. In a
 * valid file, a node and the next node of its chain have the same hash bucket, whatever the size of
 * the hash table is. So the node is invalid if their buckets differ.
 */
static bool makes_sense(const struct odb *db, uint32_t i)
{
	const struct odb_node *node = &db->nodes[i], *next;
	uint32_t smallest = 1;

	if (node->next >= i)
		return false;
	next = &db->nodes[node->next];
	if (!node->next || !next->value)
		return true;	/* without a successor, the check below has nothing to compare */
	while (smallest <= i)
		smallest *= 2;
	return odb_bucket(next->key, smallest) == odb_bucket(node->key, smallest);
}

static uint64_t drop_nonsense(struct odb *db)
{
	uint64_t dropped = 0;

	for (uint32_t i = 1; i < db->used; i++) {
		struct odb_node *node = &db->nodes[i];

		if (!node->value || makes_sense(db, i))
			continue;
		__atomic_store_n(&node->value, 0, __ATOMIC_RELAXED);
		dropped++;
	}
	return dropped;
}

/*
 * Return the number of nodes in use: up to the last node with a count. Do not use the number that
 * is stored in the file, because it may be wrong after a power cut. If the writer died while the
 * file was growing, ignore the bytes beyond the stored old size, because they are not nodes yet.
 */
static uint32_t nodes_in_use(const struct odb *db, uint32_t size)
{
	const struct odb_descr *descr = db->descr;
	uint32_t nodes = nodes_in_mapping(db);

	if (nodes > size)
		nodes = size;
	if (odb_is_size(descr->size) && descr->current_size && descr->current_size <= descr->size &&
	    nodes > descr->size)
		nodes = descr->size;
	while (nodes > 1 && !db->nodes[nodes - 1].value)
		nodes--;
	return nodes ? nodes : 1;
}

/* Rebuild the file for @size nodes, the result of believed_size(). If the process is killed during
 * the rebuild, the next odb_open() rebuilds the file again. */
static int rebuild(struct odb *db, uint32_t size, struct odb_repair *repair)
{
	uint32_t nodes = nodes_in_mapping(db), used = nodes_in_use(db, size);
	size_t first_free;
	int err;

	/* If the file is too short for @size nodes, reduce the size to the nodes that fit. If the
	 * file is longer than @size nodes need, the writer was growing it. Then finish the growth
	 * and do not shrink the file, because a reader may have mapped its whole length. */
	if (size > nodes) {
		for (size = ODB_INITIAL_NODES; size < nodes; size *= 2)
			;
	}
	while (odb_file_size(db->header_size, size) < db->map_len && size < ODB_MAX_NODES)
		size *= 2;
	if (db->map_len != odb_file_size(db->header_size, size)) {
		err = odb_resize(db, odb_file_size(db->header_size, size));
		if (err)
			return err;
	}
	odb_set_pointers(db, size);
	db->used = used;
	repair->dropped_nodes = drop_nonsense(db);
	repair->repaired = 1;

	__atomic_store_n(&db->descr->current_size, used, __ATOMIC_RELEASE);
	first_free = (char *)(db->nodes + used) - (char *)db->map;
	memset((char *)db->map + first_free, 0, db->map_len - first_free);
	odb_link_nodes(db, used);
	__atomic_store_n(&db->descr->size, size, __ATOMIC_RELEASE);
	return 0;
}

/* Initialize a new file, in which only the caller's header may be written. Return 1 if the file is
 * not new, otherwise 0 or a negative errno. */
static int check_new(struct odb *db)
{
	uint32_t size = size_of_length(db->header_size, db->map_len);
	size_t rest = db->map_len - db->header_size;

	if (!is_zero(db->descr, rest) && !size)
		return ODB_ERR_FORMAT;
	if (!is_zero(db->descr, rest))
		return 1;
	if (size != ODB_INITIAL_NODES) {
		int err = odb_resize(db, odb_file_size(db->header_size, ODB_INITIAL_NODES));

		if (err)
			return err;
	}
	odb_set_pointers(db, ODB_INITIAL_NODES);
	db->used = 1;
	return 0;
}

int odb_check_write(struct odb *db, struct odb_repair *repair)
{
	uint32_t size, used;
	int err;

	odb_set_pointers(db, 0);
	if (is_zero(db->descr, sizeof(*db->descr))) {
		err = check_new(db);
		if (err <= 0)
			return err;
	}
	size = believed_size(db);
	if (!size)
		return ODB_ERR_FORMAT;

	used = db->descr->current_size;
	if (size == db->descr->size && used && used <= size &&
	    odb_file_size(db->header_size, size) == db->map_len) {
		odb_set_pointers(db, size);
		db->used = used;
		link_last(db);
		err = is_linked(db);
		if (err)
			return err < 0 ? err : 0;
	}
	return rebuild(db, size, repair);
}
