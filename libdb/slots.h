/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h -- a file of numbered slots of 16 bytes that only ever grows; what trees and frames have in
 * common. Private to libdb; the bytes are told in doc/path-tree.md.
 *
 * Invariants:
 *   - a slot is zero until it is made, and its key never changes from then on; of a tree's slot the count does, and with it, in
 *     one store, the check. So every earlier state of its bytes is zero or the same slot.
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

#define SLOTS_VERSION	2
#define SLOTS_VERSION_FIRST	1	/* its checks do not cover the counts of trees */
/* The low byte comes first on x86 and ARM, where these are "OPT\n" and "OPF\n". */
#define SLOTS_MAGIC_TREE	0x0a54504fu
#define SLOTS_MAGIC_FRAMES	0x0a46504fu
#define SLOTS_FIRST	4u
#define SLOTS_MAX	(1u << 28)	/* 4 GiB; leaves bits to those who keep lists of numbers */
#define SLOT_VALUE_BITS	48
#define SLOT_VALUE_MAX	((1ULL << SLOT_VALUE_BITS) - 1)

struct slots_header {
	uint32_t magic;		/* written last, so that a header with it is whole */
	uint32_t version;
	uint64_t id;		/* a random number for this file */
	uint64_t generation;	/* the id of the file whose numbers this one uses, or 0 */
	/* the run of the machine in which numbers were given that may not be on the disk yet */
	uint64_t boot;
	uint64_t zero[4];
};

struct slot {
	uint64_t key;
	uint64_t word;		/* check << 48 | value */
};

_Static_assert(sizeof(struct slots_header) == SLOTS_FIRST * sizeof(struct slot), "numbers are offsets");

static inline bool slots_version_is_known(uint32_t version)
{
	return version == SLOTS_VERSION || version == SLOTS_VERSION_FIRST;
}

struct slots_kind {
	uint32_t magic;
	bool value_is_key;	/* the value belongs to the key: it never changes */
	bool never_twice;	/* no number is given again, whatever a power cut takes */
};

/* Lifetime: slots_open() to slots_close(). slot moves when the file grows. One thread. */
struct slots {
	const struct slots_kind *kind;
	struct slot *slot;	/* the mapping, from the header on */
	size_t map_len;
	uint32_t size;		/* slots in the mapping, header included */
	uint32_t used;		/* the number the next slot gets; ODB_READ: got, when the file was opened */
	uint32_t limit;		/* ODB_WRITE: the first number that no slot may have */
	/* ODB_WRITE: numbers of slots, by the hash of key and value; 0: empty */
	uint32_t *index;
	uint32_t index_size;
	uint32_t indexed;
	/* random, for the hashes: users choose keys, and must not be able to put all of them in one
	 * place */
	uint64_t seed;
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
/* Takes a zeroed struct. */
void slots_close(struct slots *s);
int slots_sync(struct slots *s, int wait);

/* One more than the highest number in use; for a reader, when it opened the file: the writer may have gone on. */
uint32_t slots_end(const struct slots *s);
/* No slot that is made from now on has number @end or a higher one; for a reader, none that there is. */
void slots_limit(struct slots *s, uint32_t end);
/* Copies slot @i. False: the slot is empty, or its check shows that it was not written as number
 * @i. */
bool slots_get(const struct slots *s, uint32_t i, uint64_t *key, uint64_t *value);

/* ODB_WRITE. Returns the number of the slot with @key (and @value, where it belongs to the key),
 * or 0. */
uint32_t slots_find(const struct slots *s, uint64_t key, uint64_t value);
/* Makes a slot with a key that no other has. -EFBIG: at the limit. */
int slots_append(struct slots *s, uint64_t key, uint64_t value, uint32_t *number);
/* Adds to the count of slot @i, which must be in use. -ERANGE: the sum would not fit; nothing
 * was added. */
int slots_add(struct slots *s, uint32_t i, uint64_t count);

/* slots_index.c: finds numbers by key and value. It is in memory, and made anew when the file is
 * opened. */
uint64_t slots_hash(const struct slots *s, uint64_t key, uint64_t value);
int slots_index_reserve(struct slots *s, uint32_t nr);	/* room for @nr, so that put cannot fail */
void slots_index_put(struct slots *s, uint32_t number);

#endif
