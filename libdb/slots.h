/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h -- a file of numbered 16-byte slots that only grows: the common base of trees (tree.h)
 * and frames (frames.h). Private to libdb; doc/path-tree.md describes the format.
 *
 * Invariants:
 *   - a slot is zero until it is written. Its key then never changes. Only the count in a tree's
 *     slot changes, together with its checksum, in one store. So each earlier state of a slot is
 *     either zero or the same slot with an older count.
 *   - one store of `word` publishes a slot, and `word` is not 0 afterwards. A reader that sees
 *     the word also sees the key, and all slots with lower numbers.
 *   - apart from slots, only `boot` in the header changes. The file has no number of slots, no
 *     hash and no links: its last non-zero slot is the last slot.
 *   - a slot's number is its offset in the file / 16; the header occupies the numbers 0 to 3.
 */
#ifndef ODB_SLOTS_H
#define ODB_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb.h"

#define SLOTS_VERSION	2
/* older version, in which the checksum of a tree's slot does not cover the count */
#define SLOTS_VERSION_FIRST	1
/* The bytes "OPT\n" and "OPF\n" on little-endian machines. */
#define SLOTS_MAGIC_TREE	0x0a54504fu
#define SLOTS_MAGIC_FRAMES	0x0a46504fu
#define SLOTS_FIRST	4u
/* limits a file to 4 GiB; the upper four bits of a number stay free for flags */
#define SLOTS_MAX	(1u << 28)
#define SLOT_VALUE_BITS	48
#define SLOT_VALUE_MAX	((1ULL << SLOT_VALUE_BITS) - 1)

struct slots_header {
	/* written last: if the magic number is present, the header is complete */
	uint32_t magic;
	uint32_t version;
	uint64_t id;		/* random number that identifies this file */
	/* in a tree: id of the frames file whose numbers the tree uses; otherwise 0 */
	uint64_t generation;
	/* id of the boot of the machine during which the latest slots were written; the disk may
	 * not have their data yet */
	uint64_t boot;
	uint64_t zero[4];
};

struct slot {
	uint64_t key;
	uint64_t word;		/* checksum << 48 | value; 0: the slot is unused */
};

_Static_assert(sizeof(struct slots_header) == SLOTS_FIRST * sizeof(struct slot),
	       "numbers are offsets");

static inline bool slots_version_is_known(uint32_t version)
{
	return version == SLOTS_VERSION || version == SLOTS_VERSION_FIRST;
}

struct slots_kind {
	uint32_t magic;
	/* the value of a slot never changes and belongs to the slot's key */
	bool value_is_key;
	/* never reuse the number of a slot, even if a power cut destroyed the slot */
	bool never_twice;
};

/* An open file of slots. The member .slot changes when the file grows. Only one thread at a time
 * may use a handle. */
struct slots {
	const struct slots_kind *kind;
	/* mapping of the file; the first SLOTS_FIRST slots are the header */
	struct slot *slot;
	size_t map_len;
	uint32_t size;		/* number of slots in the mapping, including the header */
	/* number of the next new slot; for ODB_READ, a snapshot made at opening or by
	 * slots_more() */
	uint32_t used;
	uint32_t limit;		/* for ODB_WRITE: new slots get numbers below this limit */
	/* for ODB_WRITE: hash table from key and value to slot number; 0: free entry */
	uint32_t *index;
	uint32_t index_size;
	uint32_t indexed;
	/* random seed of the hash function: users choose the keys and must not be able to cause
	 * collisions */
	uint64_t seed;
	enum odb_mode mode;
	/* descriptor of the file; -1 for ODB_READ, because a reader needs only the mapping */
	int fd;
};

static inline struct slots_header *slots_header(const struct slots *s)
{
	return (struct slots_header *)s->slot;
}

/*
 * Open a file of slots, as odb_open() does. @generation: the number that the header must have
 * (otherwise return ODB_ERR_GENERATION), or 0. @boot: a number that is different after each boot;
 * only used for kinds with never_twice.
 */
int slots_open(struct slots *s, const struct slots_kind *kind, int fd, enum odb_mode mode,
	       uint64_t generation, uint64_t boot);
/*
 * For a reader: find the slots that were added since slots_open() or the last call. Return true if
 * all slots of the mapping are in use: then the file may have grown, and the reader has to open it
 * again to see more.
 */
bool slots_more(struct slots *s);
/* Close @s. A zeroed struct slots is allowed. */
void slots_close(struct slots *s);
int slots_sync(struct slots *s, int wait);

/* Return the highest used slot number plus one. For a reader, the result is a snapshot made at
 * opening or by slots_more(). */
uint32_t slots_end(const struct slots *s);
/* Limit the numbers of new slots to numbers below @end. For a reader, hide the slots from @end
 * on. */
void slots_limit(struct slots *s, uint32_t end);
/* Copy the key and the value of slot @i. Return false if the slot is unused or its checksum is
 * wrong. */
bool slots_get(const struct slots *s, uint32_t i, uint64_t *key, uint64_t *value);
/* Return the value of slot @i without verifying its checksum, or 0 if the file has no slot @i. */
uint64_t slots_value(const struct slots *s, uint32_t i);

/* Return the number of the slot with @key (and with @value, if the value belongs to the key), or
 * 0. Only for ODB_WRITE. */
uint32_t slots_find(const struct slots *s, uint64_t key, uint64_t value);
/* Add a slot. No other slot may have the same key. -EFBIG: all numbers below the limit are used. */
int slots_append(struct slots *s, uint64_t key, uint64_t value, uint32_t *number);
/* Add @count to the value of slot @i, which must be in use. -ERANGE: the sum would exceed 48 bits;
 * nothing was added. */
int slots_add(struct slots *s, uint32_t i, uint64_t count);

/* Return the hash of @key and @value for the index, which finds slots by key and value. The index
 * exists only in memory and is rebuilt when the file is opened. Defined in slots_index.c. */
uint64_t slots_hash(const struct slots *s, uint64_t key, uint64_t value);
/* Reserve memory for @nr numbers in the index, so that slots_index_put() cannot fail. */
int slots_index_reserve(struct slots *s, uint32_t nr);
void slots_index_put(struct slots *s, uint32_t number);

#endif
