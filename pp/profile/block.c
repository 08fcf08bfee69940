// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c -- hands out words from large pieces. */
#include "config.h"
#include "pp/profile/block.h"

#include <stdlib.h>

#define BLOCK_WORDS	16384

uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr)
{
	struct pp_block *block = *blocks;
	uint64_t *words;

	if (!block || block->size - block->used < nr) {
		size_t size = nr > BLOCK_WORDS ? nr : BLOCK_WORDS;

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

void pp_block_free(struct pp_block *blocks)
{
	while (blocks) {
		struct pp_block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}
