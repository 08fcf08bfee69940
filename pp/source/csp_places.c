// SPDX-License-Identifier: GPL-2.0-or-later
/* csp_places.c -- a hash table of addresses. */
#include "config.h"
#include "pp/source/csp_places.h"

#include <stdlib.h>

#include "libop/base/hash.h"

#define FIRST_SIZE	256

void pp_csp_places_clear(struct pp_csp_places *places)
{
	free(places->slots);
	places->slots = NULL;
	places->size = places->nr = 0;
}

/* Return the slot of the address, or a free slot. */
static struct pp_csp_place *find(const struct pp_csp_places *places, uint64_t address)
{
	size_t at = op_hash_number(places->seed, address) & (places->size - 1);

	while ((places->slots[at].at || places->slots[at].before) &&
	       places->slots[at].address != address)
		at = (at + 1) & (places->size - 1);
	return &places->slots[at];
}

static int make_room(struct pp_csp_places *places)
{
	struct pp_csp_places old = *places;

	if (2 * places->nr < places->size)
		return 0;
	places->size = old.size ? 2 * old.size : FIRST_SIZE;
	places->slots = calloc(places->size, sizeof(*places->slots));
	if (!places->slots) {
		*places = old;
		return -1;
	}
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].at || old.slots[i].before)
			*find(places, old.slots[i].address) = old.slots[i];
	free(old.slots);
	return 0;
}

struct pp_csp_place *pp_csp_place(struct pp_csp_places *places, uint64_t address)
{
	struct pp_csp_place *place;

	if (make_room(places))
		return NULL;
	place = find(places, address);
	if (!place->at && !place->before) {
		place->address = address;
		places->nr++;
	}
	return place;
}
