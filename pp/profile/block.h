/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h -- memory for many small arrays that live and die together.
 */
#ifndef PP_PROFILE_BLOCK_H
#define PP_PROFILE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct pp_block {
	struct pp_block *next;
	size_t used, size;	/* in words */
	uint64_t words[];
};

/* @nr zeroed words, or NULL. *@blocks starts as NULL. */
uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr);
/* Puts all of *@more into *@blocks; *@more is then empty. */
void pp_block_join(struct pp_block **blocks, struct pp_block **more);
void pp_block_free(struct pp_block *blocks);

#endif
