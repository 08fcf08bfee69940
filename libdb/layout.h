/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h -- the byte layout of a sample file, and the handle of an open file; private to libdb.
 *
 *   caller's header | struct odb_descr | nodes[size] | hash[size]
 *
 * Invariants of a consistent file, which a rebuild restores from the nodes alone:
 *   - size is a power of two and the file's length is odb_file_size(size);
 *   - nodes 1 .. current_size-1 are in use; node 0 is never used, so that 0 can end a chain;
 *   - a node's `next` is the nearest lower-numbered live node of its bucket, and the bucket's
 *     head is its highest-numbered live node. So the numbers in a chain descend, and no chain is
 *     a loop.
 *   - a node with count 0 is dead: no chain contains it (only a repair leaves such nodes).
 *
 * In a new file without samples, struct odb_descr is all zero.
 */
#ifndef ODB_LAYOUT_H
#define ODB_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "libdb/odb.h"

#define ODB_INITIAL_NODES	128u
#define ODB_MAX_NODES		(1u << 31)
#define ODB_MAX_HEADER		4096u

struct odb_descr {
	uint32_t size;
	uint32_t current_size;
	int32_t padding[6];	/* reserved, always 0 */
};

struct odb_node {
	uint64_t key;
	uint32_t value;
	uint32_t next;
};

_Static_assert(sizeof(struct odb_descr) == 32, "OProfile 1.4 descr");
_Static_assert(sizeof(struct odb_node) == 16, "OProfile 1.4 node");

struct odb_extent {		/* A range of nodes of a sparse file that is not a hole. */
	uint32_t first, end;
};

/* An open sample file. Only one thread at a time may use a handle. descr, nodes and hash point
 * into the mapping and change when the file grows. */
struct odb {
	struct odb_descr *descr;
	struct odb_node *nodes;
	uint32_t *hash;		/* hash table of the nodes; NULL for ODB_READ */
	/* capacity of the file in nodes; for ODB_READ, the number of nodes in the mapping */
	uint32_t size;
	/* for ODB_WRITE: a copy of descr->current_size, or 1 while the file is new */
	uint32_t used;

	void *map;
	size_t map_len;
	size_t header_size;
	enum odb_mode mode;
	/* descriptor of the file; -1 for ODB_READ, because a reader needs only the mapping */
	int fd;
	/* ranges of nodes outside holes, in ascending order; only for a sparse file opened with
	 * ODB_READ */
	struct odb_extent *extents;
	/* number of used and of allocated elements of .extents; 0: the file is not sparse */
	size_t nr_extents, room_extents;
};

static inline uint32_t odb_bucket(uint64_t key, uint32_t size)
{
	uint32_t t = (uint32_t)(key >> 32) ^ (uint32_t)key;

	return (t ^ (t >> 8)) & (size - 1);
}

static inline bool odb_is_size(uint32_t size)
{
	return size && !(size & (size - 1));
}

static inline uint64_t odb_file_size(size_t header_size, uint32_t size)
{
	return header_size + sizeof(struct odb_descr) +
	       (uint64_t)size * (sizeof(struct odb_node) + sizeof(uint32_t));
}

/* Set descr, nodes and hash to their addresses in the mapping of a file with @size nodes. */
static inline void odb_set_pointers(struct odb *db, uint32_t size)
{
	db->size = size;
	db->descr = (void *)((char *)db->map + db->header_size);
	db->nodes = (void *)(db->descr + 1);
	db->hash = db->mode == ODB_WRITE ? (void *)(db->nodes + size) : NULL;
}

/*
 * Check the consistency of an open file and set the pointers of @db. db->fd must be open, and
 * db->map must map the whole file. Defined in check.c.
 */
int odb_check_read(struct odb *db);
/* Like odb_check_read(), but also repair an inconsistent file. A repair may move the mapping. */
int odb_check_write(struct odb *db, struct odb_repair *repair);

/* If the file is sparse, store its ranges outside holes in db->extents. db->size must be set.
 * Return 0 or -ENOMEM. Defined in nodes.c. */
int odb_find_extents(struct odb *db, int fd, const struct stat *st);

/* Add 1 to the result of odb_lost_pages(). Called when a file turns out to be shorter than its
 * mapping. Defined in lost_page.c. */
void odb_count_lost_page(void);

/* Change the file's length to @len, reserve its disk space and remap it. Defined in grow.c. */
int odb_resize(struct odb *db, size_t len);
/* Double the capacity of the file in nodes. On failure the file is unchanged. */
int odb_grow(struct odb *db);
/* Insert the live nodes with numbers below @used into the hash table db->hash, which must be
 * zero. */
void odb_link_nodes(struct odb *db, uint32_t used);

#endif
