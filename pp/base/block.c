// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c -- allocation of small arrays from large pieces of memory. */
#include "config.h"
#include "pp/base/block.h"

#include <stdlib.h>

/* bytes of the first piece, of which each binary has one; later pieces are larger */
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
