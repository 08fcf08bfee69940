/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odb.h -- sample files: a memory-mapped hash from a 64-bit key to a count, behind an opaque header
 * of the caller's. The bytes are those of OProfile 1.4 (doc/sample-file.md).
 *
 * The promise: one writer beside any number of readers. A reader never blocks the writer and sees,
 * for each key, a sum that was true at some moment since the reader opened the file. A writer
 * killed between any two instructions leaves a file that opens with every count logged so far.
 * After a power cut, odb_open() for writing rebuilds what is inconsistent from the nodes. Two
 * writers would damage the file: the caller has to exclude a second one. A lock on the file cannot
 * do so, because every reader can take that lock, too.
 *
 * A count that passes 2^32-1 continues in a second node with the same key, so readers add up the
 * nodes of a key instead of expecting one.
 *
 * Functions return 0 or a negative errno, or one of the codes below.
 */
#ifndef ODB_H
#define ODB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct odb;

enum odb_error {
	ODB_ERR_FORMAT = -5000,	/* the file is not a sample file, or is damaged beyond repair */
	ODB_ERR_TRUNCATED,	/* repair: the file is too short for its header */
	ODB_ERR_EMPTY,		/* ODB_READ only: the file is new and has no samples */
	ODB_ERR_GENERATION,	/* the tree refers to another file of frames (libdb/tree.h) */
};

enum odb_mode {
	ODB_READ,	/* if the file is inconsistent, read only its valid nodes */
	/* open for writing; initialize an empty file and repair an inconsistent one */
	ODB_WRITE,
};

struct odb_repair {
	int repaired;		/* 1: the hash table was rebuilt from the nodes */
	uint64_t dropped_nodes;	/* number of invalid nodes that the repair discarded */
};

/*
 * Open the sample file behind @fd, which must be readable, and writable for ODB_WRITE. On success
 * the odb owns the descriptor. The first @header_size bytes (a multiple of 8) belong to the caller.
 * Disk space is reserved before it is mapped, so a full disk gives -ENOSPC here or in odb_update(),
 * never a SIGBUS. @repair may be NULL.
 *
 * ODB_WRITE may repair the file, so check first that an existing file has your magic number. The
 * header of a new file, or of a file whose creator died, is all zero. Fill it in before the first
 * odb_update(): until then readers take the file for empty.
 */
int odb_open(struct odb **ret, int fd, size_t header_size, enum odb_mode mode,
	     struct odb_repair *repair);

/*
 * Prefetch the memory that an update of @key will need, step by step, so that a caller with many
 * updates can do the same step for other keys between two steps. odb_fetch_node() and
 * odb_fetch_next() return the node that probably has the key. odb_update_at() tries that node first
 * and otherwise does the same as odb_update(); a wrong node, for example after another update,
 * costs only time. The fetch functions change nothing and cannot fail.
 */
void odb_fetch_bucket(const struct odb *db, uint64_t key);
uint32_t odb_fetch_node(const struct odb *db, uint64_t key);
uint32_t odb_fetch_next(const struct odb *db, uint64_t key, uint32_t node);

/* Close @db, which may be NULL. Does not wait for the disk; use odb_sync() for that. */
void odb_close(struct odb *db);

/* Return the caller's header in the mapping; writable with ODB_WRITE. Valid until the next
 * odb_update(). */
void *odb_header(struct odb *db);

/*
 * Add @count to @key. -ENOSPC, -EFBIG, -ENOMEM: the file could not grow and the count was not
 * added; updates of known keys still work, and so do new keys once there is room. -ERANGE: @count
 * is more than 2^40.
 */
int odb_update(struct odb *db, uint64_t key, uint64_t count);
int odb_update_at(struct odb *db, uint32_t node, uint64_t key, uint64_t count);

/* Start (@wait 0) or complete (@wait 1) writing all counts logged so far to the disk. */
int odb_sync(struct odb *db, int wait);

/* Return the number of nodes in use. They are numbered 0 .. odb_nr_nodes()-1; ignore nodes with
 * a count of 0. */
uint32_t odb_nr_nodes(const struct odb *db);
void odb_node(const struct odb *db, uint32_t i, uint64_t *key, uint32_t *count);
/* Return @i, or, if node @i is in a hole of the file, the first node after the hole. A loop over
 * all nodes calls this for each, because a hole may have terabytes. */
uint32_t odb_next_node(const struct odb *db, uint32_t i);
/* For a reader: return true if the writer has grown the file beyond the reader's mapping, so that
 * only another odb_open() shows all nodes. */
bool odb_outgrown(const struct odb *db);
/* Return the sum of the counts of all nodes. */
uint64_t odb_total(const struct odb *db);

/*
 * Install a SIGBUS handler for the whole process. Accessing a mapped page raises SIGBUS if somebody
 * has shortened the file or the disk cannot read the page. The handler replaces the page by zeros,
 * so the process continues and loses only the counts in that page. When odb_lost_pages() has grown,
 * at least one open file is damaged: close all files and open them again. Return 0 or a negative
 * errno.
 */
int odb_survive_lost_pages(void);
unsigned long odb_lost_pages(void);

/*
 * Before a file grows, call @ask with the number of bytes that it may need at most, blocks of the
 * file system included. If @ask returns a negative errno, the file does not grow, and the function
 * returns this errno. The limit belongs to the process; NULL: no limit.
 */
void odb_limit_growth(int (*ask)(uint64_t bytes));

/* Return a message for a negative return value of this library, including errno values. */
const char *odb_strerror(int err);

#endif
