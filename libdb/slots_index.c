// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slots_index.c -- index of slots by key and value: a hash table with open addressing, at most
 * three quarters full.
 *
 * The index exists only in memory, so a corrupt file cannot corrupt it.
 */
#include "config.h"
#include "libdb/slots.h"

#include <errno.h>
#include <stdlib.h>

#define INDEX_FIRST	256u

uint64_t slots_hash(const struct slots *s, uint64_t key, uint64_t value)
{
	uint64_t h = key + 0x9e3779b97f4a7c15 * (s->kind->value_is_key ? value + 1 : 1);

	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
	h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
	return h ^ (h >> 31);
}

static uint32_t place_of(const struct slots *s, uint64_t key, uint64_t value, uint32_t size)
{
	return slots_hash(s, key + s->seed, value) & (size - 1);
}

static void put(struct slots *s, uint32_t *index, uint32_t size, uint32_t number)
{
	const struct slot *slot = &s->slot[number];
	uint32_t at = place_of(s, slot->key, slot->word & SLOT_VALUE_MAX, size);

	while (index[at])
		at = (at + 1) & (size - 1);
	index[at] = number;
}

int slots_index_reserve(struct slots *s, uint32_t nr)
{
	uint32_t size = s->index_size ? s->index_size : INDEX_FIRST;
	uint32_t *index;

	while ((uint64_t)nr * 4 > (uint64_t)size * 3)
		size *= 2;
	if (size == s->index_size)
		return 0;
	index = calloc(size, sizeof(*index));
	if (!index)
		return -ENOMEM;
	for (uint32_t at = 0; at < s->index_size; at++) {
		if (s->index[at])
			put(s, index, size, s->index[at]);
	}
	free(s->index);
	s->index = index;
	s->index_size = size;
	return 0;
}

void slots_index_put(struct slots *s, uint32_t number)
{
	put(s, s->index, s->index_size, number);
	s->indexed++;
}

uint32_t slots_find(const struct slots *s, uint64_t key, uint64_t value)
{
	uint32_t mask = s->index_size - 1;

	for (uint32_t at = place_of(s, key, value, s->index_size); s->index[at];
	     at = (at + 1) & mask) {
		const struct slot *slot = &s->slot[s->index[at]];

		if (slot->key == key &&
		    (!s->kind->value_is_key || (slot->word & SLOT_VALUE_MAX) == value))
			return s->index[at];
	}
	return 0;
}
