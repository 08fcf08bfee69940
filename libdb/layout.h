/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h -- the bytes of a sample file and the open handle; private to libdb.
 *
 *   caller's header | struct odb_descr | nodes[size] | hash[size]
 *
 * Invariants of a consistent file, which a rebuild restores from the nodes alone:
 *   - size is a power of two and the file's length is odb_file_size(size);
 *   - nodes 1 .. current_size-1 are in use; node 0 is never used, so that 0 can end a chain;
 *   - a node's `next` is the nearest lower-numbered live node of its bucket, and the bucket's head
 *     is its highest-numbered live node. Chains therefore descend strictly and cannot be cyclic.
 *   - a node with count 0 is dead: no chain contains it (only a repair leaves such nodes).
 *
 * In a file to which nothing has been logged yet, descr is all zero.
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
	int32_t padding[6];	/* always 0 */
};

struct odb_node {
	uint64_t key;
	uint32_t value;
	uint32_t next;
};

_Static_assert(sizeof(struct odb_descr) == 32, "OProfile 1.4 descr");
_Static_assert(sizeof(struct odb_node) == 16, "OProfile 1.4 node");

struct odb_extent {		/* A range of nodes outside of the file's holes. */
	uint32_t first, end;
};

/*
 * Lifetime: odb_open() to odb_close(). One thread uses a handle at a time. descr, nodes and hash
 * point into the mapping and move with it when the file grows.
 */
struct odb {
	struct odb_descr *descr;
	struct odb_node *nodes;
	uint32_t *hash;		/* ODB_WRITE only */
	/* capacity in nodes; ODB_READ: number of nodes inside the mapping */
	uint32_t size;
	uint32_t used;		/* ODB_WRITE: descr->current_size, or 1 while the file is new */

	void *map;
	size_t map_len;
	size_t header_size;
	enum odb_mode mode;
	/* descriptor of the file; ODB_READ: -1, because a reader needs only the mapping */
	int fd;
	/* ranges of nodes, in ascending order; only for a sparse file opened with ODB_READ */
	struct odb_extent *extents;
	/* number of used, and of allocated, elements in .extents; 0: the file has no holes to
	 * skip */
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

/* Point descr, nodes and hash into the mapping, for @size nodes. */
static inline void odb_set_pointers(struct odb *db, uint32_t size)
{
	db->size = size;
	db->descr = (void *)((char *)db->map + db->header_size);
	db->nodes = (void *)(db->descr + 1);
	db->hash = db->mode == ODB_WRITE ? (void *)(db->nodes + size) : NULL;
}

/*
 * Defined in check.c. Compare a file's length with its descr, and set the pointers of @db.
 * odb_check_write() also repairs the file if it is inconsistent; db->fd must be open and db->map
 * must map the whole file. The mapping may move.
 */
int odb_check_read(struct odb *db);
int odb_check_write(struct odb *db, struct odb_repair *repair);

/* Defined in nodes.c. Find the extents of the file if it is sparse. db->size must be set. Return 0
 * or -ENOMEM. */
int odb_find_extents(struct odb *db, int fd, const struct stat *st);

/* Defined in lost_page.c. Count a lost page because a file was found to be shorter than its
 * mapping. */
void odb_count_lost_page(void);

/* Defined in grow.c. Change the file's length to @len, reserve its disk space, and map it again. */
int odb_resize(struct odb *db, size_t len);
/* Double the number of nodes that fit. On failure the file is unchanged. */
int odb_grow(struct odb *db);
/* Link the live nodes below @used into db->hash, which must be zero. */
void odb_link_nodes(struct odb *db, uint32_t used);

#endif
