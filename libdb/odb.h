/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odb.h -- sample files: a memory-mapped hash from a 64-bit key to a count, behind an opaque header of the caller's.
 * The bytes are those of OProfile 1.4 (doc/sample-file.md).
 *
 * The promise: one writer beside any number of readers. A reader never blocks the writer and sees, for each key, a sum
 * that was true at some moment since the reader opened the file. A writer killed between any two instructions leaves a
 * file that opens with every count logged so far. After a power cut, odb_open() for writing rebuilds what is
 * inconsistent from the nodes. Two writers would damage the file: the caller has to exclude a second one. A lock on the
 * file cannot do so, because every reader can take that lock, too.
 *
 * A count that passes 2^32-1 continues in a second node with the same key, so readers add up the nodes of a key instead
 * of expecting one.
 *
 * Functions return 0 or a negative errno, or one of the codes below.
 */
#ifndef ODB_H
#define ODB_H

#include <stddef.h>
#include <stdint.h>

struct odb;

enum odb_error {
	ODB_ERR_FORMAT = -5000,	/* not a sample file, or damaged beyond repair */
	ODB_ERR_TRUNCATED,	/* too short for its header */
	ODB_ERR_EMPTY,		/* ODB_READ only: new, nothing logged yet */
	ODB_ERR_GENERATION,	/* a tree whose numbers are of other frames (libdb/tree.h) */
};

enum odb_mode {
	ODB_READ,	/* an inconsistent file is read as far as its nodes make sense */
	ODB_WRITE,	/* create when empty, repair when inconsistent */
};

struct odb_repair {
	int repaired;		/* 1: the hash was rebuilt */
	uint64_t dropped_nodes;	/* nodes that made no sense */
};

/*
 * Opens the sample file behind @fd, which must allow reading, and writing for ODB_WRITE; the
 * odb owns the descriptor from success on. @header_size bytes at the start belong to the caller
 * (a multiple of 8). Space on disk is reserved before it is mapped, so a full disk is -ENOSPC here
 * or in odb_update(), never a SIGBUS. @repair may be NULL.
 *
 * ODB_WRITE may repair, hence write: check that an existing file has your magic number first.
 * A new file (also one whose creator died) comes with a header of zeros. Fill it in before the
 * first odb_update(): only that makes it a sample file in the eyes of readers, header and all.
 */
int odb_open(struct odb **ret, int fd, size_t header_size, enum odb_mode mode,
	     struct odb_repair *repair);

/*
 * For who has many files to update: the memory that an update of @key will need is asked for in steps, with other
 * work, such as the same step for other keys, between them. odb_fetch_node() and odb_fetch_next() return where the key
 * is, as far as they can tell: odb_update_at() looks there first, and is otherwise odb_update(). What came between may
 * have made that wrong, which costs time and nothing else. Nothing is changed before, and nothing fails.
 */
void odb_fetch_bucket(const struct odb *db, uint64_t key);
uint32_t odb_fetch_node(const struct odb *db, uint64_t key);
uint32_t odb_fetch_next(const struct odb *db, uint64_t key, uint32_t node);

/* Takes NULL. Does not wait for the disk; odb_sync() does. */
void odb_close(struct odb *db);

/* The caller's header in the mapping; writable with ODB_WRITE. Valid until the next odb_update(). */
void *odb_header(struct odb *db);

/*
 * Adds @count to @key. -ENOSPC, -EFBIG, -ENOMEM: the file could not grow and the count was not
 * added; known keys go on working, and so do new ones once there is room. -ERANGE: @count is more
 * than 2^40.
 */
int odb_update(struct odb *db, uint64_t key, uint64_t count);
int odb_update_at(struct odb *db, uint32_t node, uint64_t key, uint64_t count);

/* Starts (@wait 0) or completes (@wait 1) writing to disk what was logged so far. */
int odb_sync(struct odb *db, int wait);

/* Nodes in use. Node numbers 0 .. odb_nr_nodes()-1; a count of 0 means nothing logged there. */
uint32_t odb_nr_nodes(const struct odb *db);
void odb_node(const struct odb *db, uint32_t i, uint64_t *key, uint32_t *count);
/* Return @i, or, if node @i is in a hole of the file, the first node after the hole. A loop over all nodes calls this
 * for each, because a hole may have terabytes. */
uint32_t odb_next_node(const struct odb *db, uint32_t i);
/* The counts of all nodes. */
uint64_t odb_total(const struct odb *db);

/*
 * A file that somebody shortens, or that the disk cannot read, has no page any more behind some of
 * its mapping, and touching that is a SIGBUS. From this call on it costs what the page held: zeros
 * come in its place. When odb_lost_pages() has grown, some open file is damaged: close them, open
 * them again and see what is left. For the whole process; negative errno.
 */
int odb_survive_lost_pages(void);
unsigned long odb_lost_pages(void);

/* A sentence for a negative return value of this library, errno values included. */
const char *odb_strerror(int err);

#endif
