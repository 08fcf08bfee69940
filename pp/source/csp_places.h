/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp_places.h -- a cache of the frames of addresses in one epoch. Many nodes of a tree have the
 * same address, and the cache needs one memory access for each, while finding the frame by its
 * binary needs several.
 */
#ifndef PP_SOURCE_CSP_PLACES_H
#define PP_SOURCE_CSP_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of frames; 0: not looked up yet. A slot with two zeros is free. */
struct pp_csp_place {
	uint64_t address;
	uint32_t at;			/* frame of the address itself */
	uint32_t before;		/* frame of the call before it, which returns to it */
};

struct pp_csp_places {
	struct pp_csp_place *slots;	/* hash table with open addressing */
	size_t size, nr;		/* a power of two, or 0 */
	/* of hashes, because the file's writer chooses the addresses */
	uint64_t seed;
};

/* Remove all addresses. */
void pp_csp_places_clear(struct pp_csp_places *places);
/* Return the slot of the address, or NULL if out of memory. The caller must set one of its numbers
 * before the next call. */
struct pp_csp_place *pp_csp_place(struct pp_csp_places *places, uint64_t address);

#endif
