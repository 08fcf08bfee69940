/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h -- memory for many small arrays and strings that live and die together.
 */
#ifndef PP_BLOCK_H
#define PP_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Of words or of bytes: whoever begins a list of blocks goes on with the same. */
struct pp_block {
	struct pp_block *next;
	size_t used, size;	/* in bytes */
	uint64_t words[];
};

/* @n zeroed bytes, or NULL. *@blocks starts as NULL. */
void *pp_block_bytes(struct pp_block **blocks, size_t n);
/* @nr zeroed words, or NULL. */
uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr);
/* Puts all of *@more into *@blocks; *@more is then empty. */
void pp_block_join(struct pp_block **blocks, struct pp_block **more);
void pp_block_free(struct pp_block *blocks);

#endif
