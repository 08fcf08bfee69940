/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h -- memory for many small arrays and strings that are freed together.
 */
#ifndef PP_BLOCK_H
#define PP_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* A block of memory in a list. A list contains either arrays of words or strings of bytes, never
 * both, so that words stay aligned. */
struct pp_block {
	struct pp_block *next;
	size_t used, size;	/* .used: bytes in use; .size: size of .words in bytes */
	uint64_t words[];
};

/* Return @n zeroed bytes, or NULL. The caller initializes *@blocks with NULL. */
void *pp_block_bytes(struct pp_block **blocks, size_t n);
/* Return a zeroed array of @nr words, or NULL. The caller initializes *@blocks with NULL. */
uint64_t *pp_block_alloc(struct pp_block **blocks, size_t nr);
/* Move all memory of *@more to *@blocks; *@more is empty afterwards. */
void pp_block_join(struct pp_block **blocks, struct pp_block **more);
void pp_block_free(struct pp_block *blocks);

/* Copies of strings that are freed together. */

/* Return a copy of @text, or NULL. The caller initializes *@strings with NULL. */
const char *pp_strings_add(struct pp_block **strings, const char *text);

/* A set of strings. A struct of zeros is empty. */
struct pp_intern {
	const char **slots;
	/* .nr: number of strings; .size: number of hash slots, 0 or a power of two */
	size_t nr, size;
};

/* Return the set's copy of @text, which *@strings owns, or NULL if out of memory. */
const char *pp_intern(struct pp_intern *intern, struct pp_block **strings, const char *text);
void pp_intern_release(struct pp_intern *intern);

#endif
