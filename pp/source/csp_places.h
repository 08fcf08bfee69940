/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp_places.h -- the frames that addresses of one epoch stand for. A tree has many nodes with the same address, and each is looked up
 * here by one access to memory; what finds a frame by its binary takes several.
 */
#ifndef PP_SOURCE_CSP_PLACES_H
#define PP_SOURCE_CSP_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of frames, 0 where nobody has asked yet. A slot where both are 0 is free. */
struct pp_csp_place {
	uint64_t address;
	uint32_t at;			/* the address itself */
	uint32_t before;		/* the call in front of it, which returns there */
};

struct pp_csp_places {
	struct pp_csp_place *slots;	/* open addressing */
	size_t size, nr;		/* a power of two, or 0 */
	uint64_t seed;			/* of hashes: who writes the file chooses the addresses */
};

/* Forgets all. */
void pp_csp_places_clear(struct pp_csp_places *places);
/* The address' slot, which the caller gives a number before the next call. NULL: out of memory. */
struct pp_csp_place *pp_csp_place(struct pp_csp_places *places, uint64_t address);

#endif
