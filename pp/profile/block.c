// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c -- hands out words from large pieces. */
#include "config.h"
#include "pp/profile/block.h"

#include <stdlib.h>

#define FIRST_WORDS	16	/* of each of many binaries; later pieces are larger */
#define BLOCK_WORDS	16384

uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr)
{
	struct pp_block *block = *blocks;
	uint64_t *words;

	if (!block || block->size - block->used < nr) {
		size_t size = block ? 2 * block->size : FIRST_WORDS;

		size = size > BLOCK_WORDS ? BLOCK_WORDS : size;
		size = size < nr ? nr : size;
		block = calloc(1, sizeof(*block) + size * sizeof(block->words[0]));
		if (!block)
			return NULL;
		block->size = size;
		block->next = *blocks;
		*blocks = block;
	}
	words = block->words + block->used;
	block->used += nr;
	return words;
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
