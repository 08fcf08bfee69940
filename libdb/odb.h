/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odb.h -- sample files: a memory-mapped hash table from a 64-bit key to a count, after a header
 * whose contents only the caller knows. The format is that of OProfile 1.4 (doc/sample-file.md).
 *
 * The library supports one writer and any number of readers at the same time. A reader never
 * blocks the writer. For each key, a reader sees a sum that was correct at some moment since the
 * reader opened the file. A writer may be killed between any two instructions: the file still
 * opens, with every count added before. After a power cut, odb_open() for writing rebuilds
 * inconsistent parts from the nodes. Two writers would damage the file, so the caller must exclude
 * a second writer. A file lock cannot do this, because every reader could hold the lock.
 *
 * If a count exceeds 2^32-1, a second node with the same key stores the rest. So readers must add
 * up all nodes with the same key.
 *
 * Functions return 0, a negative errno, or one of the codes below.
 */
#ifndef ODB_H
#define ODB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct odb;

enum odb_error {
	ODB_ERR_FORMAT = -5000,	/* the file is not a sample file, or is damaged beyond repair */
	ODB_ERR_TRUNCATED,	/* the file is too short for its header, or for its mapping */
	ODB_ERR_EMPTY,		/* for ODB_READ: the file is new and has no samples */
	ODB_ERR_GENERATION,	/* the tree belongs to another file of frames (libdb/tree.h) */
	ODB_ERR_VERSION,	/* the file of call paths has a newer version */
};

enum odb_mode {
	/* open for reading; if the file is inconsistent, read only its valid nodes */
	ODB_READ,
	/* open for writing; initialize an empty file and repair an inconsistent one */
	ODB_WRITE,
};

struct odb_repair {
	int repaired;		/* 1: the hash table was rebuilt from the nodes */
	uint64_t dropped_nodes;	/* number of invalid nodes that the repair discarded */
};

/*
 * Open the sample file of descriptor @fd, which must be readable, and writable for ODB_WRITE. On
 * success *@ret owns the descriptor. The first @header_size bytes of the file (a multiple of 8)
 * belong to the caller. The library reserves disk space before it maps the space. So if the disk
 * is full, odb_open() or odb_update() returns -ENOSPC, and no store raises SIGBUS. @repair may be
 * NULL.
 *
 * ODB_WRITE may repair, that is change, the file: before the call, check that an existing file has
 * your magic number. If a file is new, or if its creator died early, its header is all zero. Fill
 * in the header before the first odb_update(); readers treat a file without samples as empty.
 */
int odb_open(struct odb **ret, int fd, size_t header_size, enum odb_mode mode,
	     struct odb_repair *repair);

/*
 * Prefetch the memory that an update of @key will need, in three steps: bucket, node, next node. A
 * caller with many updates can do one step for many keys before the next step. odb_fetch_node()
 * and odb_fetch_next() return the node that probably has the key. odb_update_at() tries this node
 * first and calls odb_update() if the node does not have the key, so a wrong node costs only time.
 * The fetch functions change nothing and cannot fail.
 */
void odb_fetch_bucket(const struct odb *db, uint64_t key);
uint32_t odb_fetch_node(const struct odb *db, uint64_t key);
uint32_t odb_fetch_next(const struct odb *db, uint64_t key, uint32_t node);

/* Close @db, which may be NULL. The function does not wait for the disk; odb_sync() does. */
void odb_close(struct odb *db);

/* Return a pointer to the caller's header in the mapping, writable with ODB_WRITE. The pointer is
 * valid until the next odb_update(). */
void *odb_header(struct odb *db);

/*
 * Add @count to the count of @key. -ENOSPC, -EFBIG, -ENOMEM: the file could not grow and nothing
 * was added; keys that the file already has can still be updated, and new keys can be added once
 * the file can grow. -ERANGE: @count exceeds 2^40.
 */
int odb_update(struct odb *db, uint64_t key, uint64_t count);
int odb_update_at(struct odb *db, uint32_t node, uint64_t key, uint64_t count);

/* Write all counts added so far to the disk. @wait 0: start the write and return; 1: wait for its
 * end. */
int odb_sync(struct odb *db, int wait);

/* Return the number of nodes in use. The nodes have the numbers 0 to odb_nr_nodes()-1. Ignore
 * nodes whose count is 0. */
uint32_t odb_nr_nodes(const struct odb *db);
void odb_node(const struct odb *db, uint32_t i, uint64_t *key, uint32_t *count);
/* Return @i, or the first node after the hole if node @i is in a hole of a sparse file. Call it
 * for each node in a loop over all nodes: holes may be terabytes long. */
uint32_t odb_next_node(const struct odb *db, uint32_t i);
/* For a reader: return true if the writer has grown the file beyond the reader's mapping. To see
 * all nodes, the reader has to open the file again. */
bool odb_outgrown(const struct odb *db);
/* Return the sum of the counts of all nodes in the file. */
uint64_t odb_total(const struct odb *db);

/*
 * Install a SIGBUS handler for the whole process. The kernel raises SIGBUS at an access to a
 * mapped page if another program has truncated the file, or if the disk cannot read the page. The
 * handler replaces the page by zeros, so the process continues and loses only the counts in that
 * page. When the result of odb_lost_pages() has grown, at least one open file is damaged: close
 * all files and open them again. Return 0 or a negative errno.
 */
int odb_survive_lost_pages(void);
unsigned long odb_lost_pages(void);

/*
 * Set a function that may refuse the growth of files. Before a file grows, the library calls @ask
 * with the largest number of bytes that the growth can take on disk. If @ask returns a negative
 * errno, the file does not grow, and the update returns this errno. The function applies to all
 * files of the process. NULL: no limit.
 */
void odb_limit_growth(int (*ask)(uint64_t bytes));

/* Return a message for a negative return value of this library: an ODB_ERR code or an errno. */
const char *odb_strerror(int err);

#endif
