// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c -- allocation of small arrays and strings from large blocks of memory. */
#include "config.h"
#include "pp/base/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* size in bytes of the first block of a list; small, because each binary has its own list. Each
 * further block is twice as large, up to PIECE. */
#define FIRST	128
#define PIECE	131072

void *pp_block_bytes(struct pp_block **blocks, size_t n)
{
	struct pp_block *block = *blocks;
	char *bytes;

	if (!block || block->size - block->used < n) {
		size_t size = block ? 2 * block->size : FIRST;

		size = size > PIECE ? PIECE : size;
		size = size < n ? n : size;
		block = calloc(1, sizeof(*block) + size);
		if (!block)
			return NULL;
		block->size = size;
		block->next = *blocks;
		*blocks = block;
	}
	bytes = (char *)block->words + block->used;
	block->used += n;
	return bytes;
}

uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr)
{
	return pp_block_bytes(blocks, nr * sizeof(uint64_t));
}

void pp_block_join(struct pp_block **blocks, struct pp_block **more)
{
	struct pp_block **end = more;

	while (*end)
		end = &(*end)->next;
	*end = *blocks;
	*blocks = *more;
	*more = NULL;
}

void pp_block_free(struct pp_block *blocks)
{
	while (blocks) {
		struct pp_block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}

/* The following functions copy strings, and find the copy of a string by a hash table. */

const char *pp_strings_add(struct pp_block **strings, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = pp_block_bytes(strings, n);

	return copy ? memcpy(copy, text, n) : NULL;
}

static size_t hash(const char *text)
{
	size_t h = 5381;

	while (*text)
		h = h * 33 ^ (unsigned char)*text++;
	return h;
}

static size_t slot_of(const struct pp_intern *intern, const char *text)
{
	size_t i = hash(text) & (intern->size - 1);

	while (intern->slots[i] && strcmp(intern->slots[i], text))
		i = (i + 1) & (intern->size - 1);
	return i;
}

/* Grow the hash table when half of its slots are used. */
static int intern_grow(struct pp_intern *intern)
{
	struct pp_intern new = { .nr = intern->nr, .size = intern->size ? 2 * intern->size : 64 };

	if (2 * intern->nr < intern->size)
		return 0;
	new.slots = calloc(new.size, sizeof(*new.slots));
	if (!new.slots)
		return -ENOMEM;
	for (size_t i = 0; i < intern->size; i++)
		if (intern->slots[i])
			new.slots[slot_of(&new, intern->slots[i])] = intern->slots[i];
	free(intern->slots);
	*intern = new;
	return 0;
}

const char *pp_intern(struct pp_intern *intern, struct pp_block **strings, const char *text)
{
	size_t slot;

	if (intern_grow(intern))
		return NULL;
	slot = slot_of(intern, text);
	if (!intern->slots[slot]) {
		intern->slots[slot] = pp_strings_add(strings, text);
		intern->nr += intern->slots[slot] != NULL;
	}
	return intern->slots[slot];
}

void pp_intern_release(struct pp_intern *intern)
{
	free(intern->slots);
	*intern = (struct pp_intern){ 0 };
}
