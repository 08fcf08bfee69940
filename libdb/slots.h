/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h -- a file of numbered 16-byte slots that only grows: the common base of trees and frames.
 * Private to libdb; doc/path-tree.md describes the bytes.
 *
 * Invariants:
 *   - a slot is zero until it is written. Its key then never changes. Only the count of a tree's
 *     slot changes, together with its check, in one store. So each earlier state of a slot is
 *     either zero or the same slot.
 *   - one store of `word` publishes a slot, and `word` is not 0 afterwards. A reader that sees the
 *     word also sees the key, and all slots with lower numbers.
 *   - only the header's `boot` changes otherwise. The file has no count of slots, no hash and no
 *     links: its last non-zero slot is the last slot.
 *   - a slot's number is its offset in the file / 16; the header occupies the numbers 0 to 3.
 */
#ifndef ODB_SLOTS_H
#define ODB_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb.h"

#define SLOTS_VERSION	2
/* version of files whose checks do not cover the counts of trees */
#define SLOTS_VERSION_FIRST	1
/* The strings "OPT\n" and "OPF\n" on machines that store the low byte first, as x86 and ARM do. */
#define SLOTS_MAGIC_TREE	0x0a54504fu
#define SLOTS_MAGIC_FRAMES	0x0a46504fu
#define SLOTS_FIRST	4u
#define SLOTS_MAX	(1u << 28)	/* 4 GiB; leaves four bits of a number free for flags */
#define SLOT_VALUE_BITS	48
#define SLOT_VALUE_MAX	((1ULL << SLOT_VALUE_BITS) - 1)

struct slots_header {
	uint32_t magic;		/* written last: a header with the magic number is complete */
	uint32_t version;
	uint64_t id;		/* random number that identifies this file */
	uint64_t generation;	/* the id of the file whose numbers this file uses, or 0 */
	/* the boot in which slots were written that may not have reached the disk yet */
	uint64_t boot;
	uint64_t zero[4];
};

struct slot {
	uint64_t key;
	uint64_t word;		/* check << 48 | value; 0: the slot is empty */
};

_Static_assert(sizeof(struct slots_header) == SLOTS_FIRST * sizeof(struct slot),
	       "numbers are offsets");

static inline bool slots_version_is_known(uint32_t version)
{
	return version == SLOTS_VERSION || version == SLOTS_VERSION_FIRST;
}

struct slots_kind {
	uint32_t magic;
	bool value_is_key;	/* the value is part of the key and never changes */
	bool never_twice;	/* never reuse a number, even if a power cut destroyed its slot */
};

/* A file of slots, from slots_open() to slots_close(). The member .slot changes when the file
 * grows. One thread uses a handle at a time. */
struct slots {
	const struct slots_kind *kind;
	struct slot *slot;	/* mapping of the file, which begins with the header */
	size_t map_len;
	uint32_t size;		/* number of slots in the mapping, including the header */
	/* number of the next new slot; ODB_READ: as it was when the file was opened */
	uint32_t used;
	uint32_t limit;		/* only for ODB_WRITE: new slots get numbers below this limit */
	/* ODB_WRITE: hash table of slot numbers by key and value; 0: empty */
	uint32_t *index;
	uint32_t index_size;
	uint32_t indexed;
	/* random seed of the hash: users choose keys, and must not be able to make them all
	 * collide */
	uint64_t seed;
	enum odb_mode mode;
	/* descriptor of the file; ODB_READ: -1, because a reader needs only the mapping */
	int fd;
};

static inline struct slots_header *slots_header(const struct slots *s)
{
	return (struct slots_header *)s->slot;
}

/*
 * Open a file of slots, as odb_open() does. @generation: 0, or the generation that the header must
 * have (otherwise ODB_ERR_GENERATION). @boot: a number that differs after each boot, for kinds with
 * never_twice.
 */
int slots_open(struct slots *s, const struct slots_kind *kind, int fd, enum odb_mode mode,
	       uint64_t generation, uint64_t boot);
/*
 * For a reader: make the slots visible that were added since slots_open() or the last call. Return
 * true if all slots of the mapping are in use: then the file may have grown, and only another
 * slots_open() shows more.
 */
bool slots_more(struct slots *s);
/* Close @s, which may be all zero. */
void slots_close(struct slots *s);
int slots_sync(struct slots *s, int wait);

/* Return the highest used number plus one. A reader gets the value at the time when the file was
 * opened. */
uint32_t slots_end(const struct slots *s);
/* Give new slots only numbers below @end. For a reader, hide the slots from @end on. */
void slots_limit(struct slots *s, uint32_t end);
/* Copy slot @i. False: the slot is empty, or its check does not match its number, key and value. */
bool slots_get(const struct slots *s, uint32_t i, uint64_t *key, uint64_t *value);
/* Return the value of slot @i without a check of the slot; 0 if it cannot exist. */
uint64_t slots_value(const struct slots *s, uint32_t i);

/* ODB_WRITE. Return the number of the slot with @key (and @value, if it is part of the key), or
 * 0. */
uint32_t slots_find(const struct slots *s, uint64_t key, uint64_t value);
/* Add a slot with a key that no other slot has. -EFBIG: the limit is reached. */
int slots_append(struct slots *s, uint64_t key, uint64_t value, uint32_t *number);
/* Add @count to slot @i, which must be in use. -ERANGE: the sum would not fit; nothing was
 * added. */
int slots_add(struct slots *s, uint32_t i, uint64_t count);

/* The index by key and value, defined in slots_index.c. The index is in memory only, and is rebuilt
 * when the file is opened. */
uint64_t slots_hash(const struct slots *s, uint64_t key, uint64_t value);
/* Make room in the index for @nr numbers, so that slots_index_put() cannot fail. */
int slots_index_reserve(struct slots *s, uint32_t nr);
void slots_index_put(struct slots *s, uint32_t number);

#endif
