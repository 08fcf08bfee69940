// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes.c -- reading of the nodes in the order of their creation, without the hash table. In a
 * sparse file, only the nodes outside holes are read.
 *
 * This library writes no sparse files, but a copy of a sample file may be sparse, and a hostile
 * file may be gigabytes long with a few blocks on disk. Reading a hole costs as much time as
 * reading data, so holes are skipped.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Return the number of the node that contains the byte at offset @at of the file: 0 for the
 * header, db->size for a byte after the last node. */
static uint32_t node_at(const struct odb *db, uint64_t offset)
{
	uint64_t nodes = db->header_size + sizeof(struct odb_descr);
	uint64_t node = offset > nodes ? (offset - nodes) / sizeof(struct odb_node) : 0;

	return node < db->size ? node : db->size;
}

static int add_extent(struct odb *db, uint64_t start, uint64_t end)
{
	struct odb_extent *extents;

	if (db->nr_extents == db->room_extents) {
		size_t room = db->room_extents ? 2 * db->room_extents : 16;

		extents = reallocarray(db->extents, room, sizeof(*extents));
		if (!extents)
			return -ENOMEM;
		db->extents = extents;
		db->room_extents = room;
	}
	db->extents[db->nr_extents++] = (struct odb_extent){
		node_at(db, start), node_at(db, end + sizeof(struct odb_node) - 1)};
	return 0;
}

int odb_find_extents(struct odb *db, int fd, const struct stat *st)
{
	off_t at = 0, end;
	int err;

	if ((uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
		return 0;
	/* Add an empty extent first: nr_extents == 0 would mean that the file is not sparse. */
	err = add_extent(db, 0, 0);
	while (!err && at < st->st_size && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
		end = lseek(fd, at, SEEK_HOLE);
		if (end < 0)
			break;
		err = add_extent(db, at, end);
		at = end;
	}
	if (!err && at < 0 && errno != ENXIO)
		/* the file system does not support SEEK_DATA: assume that the file has no holes */
		db->nr_extents = 0;
	return err;
}

uint32_t odb_next_node(const struct odb *db, uint32_t i)
{
	size_t low = 0, high = db->nr_extents;

	if (!high)
		return i;
	/* Binary search: find the first extent that ends after node @i. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (db->extents[middle].end > i)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == db->nr_extents)
		return UINT32_MAX;
	return i > db->extents[low].first ? i : db->extents[low].first;
}

uint32_t odb_nr_nodes(const struct odb *db)
{
	uint32_t used = __atomic_load_n(&db->descr->current_size, __ATOMIC_ACQUIRE);

	/* A writer may have added nodes beyond the mapping of this reader: ignore them. */
	return used < db->size ? used : db->size;
}

bool odb_outgrown(const struct odb *db)
{
	return __atomic_load_n(&db->descr->current_size, __ATOMIC_ACQUIRE) > db->size;
}

void odb_node(const struct odb *db, uint32_t i, uint64_t *key, uint32_t *count)
{
	const struct odb_node *node = &db->nodes[i];
	uint32_t value = __atomic_load_n(&node->value, __ATOMIC_RELAXED);

	/* In a consistent file each chain descends, so a node with a higher `next` is invalid:
	 * return no count for it. */
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
