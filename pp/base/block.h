/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h -- memory for many small arrays and strings that live and die together.
 */
#ifndef PP_BLOCK_H
#define PP_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* All allocations from one list of blocks are words, or all are bytes. */
struct pp_block {
	struct pp_block *next;
	size_t used, size;	/* in bytes */
	uint64_t words[];
};

/* Return @n zeroed bytes, or NULL. *@blocks starts as NULL. */
void *pp_block_bytes(struct pp_block **blocks, size_t n);
/* Return @nr zeroed words, or NULL. */
uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr);
/* Move all memory of *@more to *@blocks; *@more is empty afterwards. */
void pp_block_join(struct pp_block **blocks, struct pp_block **more);
void pp_block_free(struct pp_block *blocks);

#endif
