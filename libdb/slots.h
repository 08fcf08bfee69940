/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h -- a file of numbered slots of 16 bytes that only ever grows; what trees and frames have in
 * common. Private to libdb; the bytes are told in doc/path-tree.md.
 *
 * Invariants:
 *   - a slot is zero until it is made, and its key and check never change from then on; of a tree's
 *     slot the count does. So every earlier state of its bytes is zero or the same slot.
 *   - a slot is made by one store, of `word`, which is never 0 from then on. Whoever has seen it sees
 *     the key, and all slots with lower numbers.
 *   - nothing else in the file changes, but for the header's `boot`: there is no count of slots, no
 *     hash, no link. The last slot that is not zero is the last one.
 *   - a number is the slot's offset in the file / 16; the header is where 0 to 3 would be.
 */
#ifndef ODB_SLOTS_H
#define ODB_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb.h"

#define SLOTS_FIRST	4u
#define SLOTS_MAX	(1u << 28)	/* 4 GiB; leaves bits to those who keep lists of numbers */
#define SLOT_VALUE_BITS	48
#define SLOT_VALUE_MAX	((1ULL << SLOT_VALUE_BITS) - 1)

struct slots_header {
	uint32_t magic;		/* stored last */
	uint32_t version;
	uint64_t id;		/* random, of this file */
	uint64_t generation;	/* the id of the file that this one's numbers are of, or 0 */
	uint64_t boot;		/* whose numbers may be in no page of the disk yet */
	uint64_t zero[4];
};

struct slot {
	uint64_t key;
	uint64_t word;		/* check << 48 | value */
};

_Static_assert(sizeof(struct slots_header) == SLOTS_FIRST * sizeof(struct slot), "numbers are offsets");

struct slots_kind {
	uint32_t magic;
	bool value_is_key;	/* the value is part of what a slot is, and never changes */
	bool never_twice;	/* no number is given again, whatever a power cut takes */
};

/* Lifetime: slots_open() to slots_close(). slot moves when the file grows. One thread. */
struct slots {
	const struct slots_kind *kind;
	struct slot *slot;	/* the mapping, from the header on */
	size_t map_len;
	uint32_t size;		/* slots in the mapping, header included */
	uint32_t used;		/* ODB_WRITE: the number the next slot gets */
	uint32_t limit;		/* ... and the first that none gets */
	uint32_t *index;	/* ODB_WRITE: numbers by the hash of what a slot is, 0 for none */
	uint32_t index_size;
	uint32_t indexed;
	uint64_t seed;		/* of the index: users choose what is in it, and could have it all in one place */
	enum odb_mode mode;
	int fd;			/* ODB_WRITE only, else -1 */
};

static inline struct slots_header *slots_header(const struct slots *s)
{
	return (struct slots_header *)s->slot;
}

/*
 * As odb_open(). @generation: 0, or what the header's has to be (ODB_ERR_GENERATION). @boot: any
 * number that is another one after each start of the machine; for kinds with never_twice.
 */
int slots_open(struct slots *s, const struct slots_kind *kind, int fd, enum odb_mode mode,
	       uint64_t generation, uint64_t boot);
/* Takes one that is all zero. */
void slots_close(struct slots *s);
int slots_sync(struct slots *s, int wait);

/* One more than the highest number in use; of a reader, in what it has mapped. */
uint32_t slots_end(const struct slots *s);
/* Copies what is in slot @i; false when nothing is, or nothing that was written there as number @i. */
bool slots_get(const struct slots *s, uint32_t i, uint64_t *key, uint64_t *value);

/* ODB_WRITE. The number of the slot of @key (and @value, where that is a part); 0 when there is none. */
uint32_t slots_find(const struct slots *s, uint64_t key, uint64_t value);
/* Makes one, which must not be there. -EFBIG: at the limit. */
int slots_append(struct slots *s, uint64_t key, uint64_t value, uint32_t *number);
/* -ERANGE: would not fit, nothing was added. @i must be in use. */
int slots_add(struct slots *s, uint32_t i, uint64_t count);

/* slots_index.c: numbers by what their slots are, in memory, made anew from the slots when opened. */
uint64_t slots_hash(const struct slots *s, uint64_t key, uint64_t value);
int slots_index_reserve(struct slots *s, uint32_t nr);	/* room for @nr, so that put cannot fail */
void slots_index_put(struct slots *s, uint32_t number);

#endif
