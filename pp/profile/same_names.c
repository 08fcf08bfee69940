// SPDX-License-Identifier: GPL-2.0-or-later
/* same_names.c -- a hash table from names to symbols. */
#include "config.h"
#include "pp/profile/same_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"

struct pp_same_name {
	const char *name;	/* NULL: free */
	uint32_t symbol;
};

static struct pp_same_name *slot_of(struct pp_same_name *slots, size_t size, const char *name)
{
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, name);
	size_t i = hash ^ hash >> 32;

	while (slots[i & (size - 1)].name && strcmp(slots[i & (size - 1)].name, name))
		i++;
	return &slots[i & (size - 1)];
}

uint32_t pp_same_names_find(const struct pp_same_names *names, const char *name)
{
	const struct pp_same_name *slot;

	if (!names->size)
		return PP_NO_SAME_NAME;
	slot = slot_of(names->slots, names->size, name);
	return slot->name ? slot->symbol : PP_NO_SAME_NAME;
}

static int grow(struct pp_same_names *names)
{
	size_t size = names->size ? 2 * names->size : 256;
	struct pp_same_name *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < names->size; i++)
		if (names->slots[i].name)
			*slot_of(slots, size, names->slots[i].name) = names->slots[i];
	free(names->slots);
	names->slots = slots;
	names->size = size;
	return 0;
}

int pp_same_names_add(struct pp_same_names *names, const char *name, uint32_t symbol)
{
	struct pp_same_name *slot;

	if (2 * names->nr >= names->size && grow(names))
		return -ENOMEM;
	slot = slot_of(names->slots, names->size, name);
	if (!slot->name) {
		*slot = (struct pp_same_name){ name, symbol };
		names->nr++;
	}
	return 0;
}

void pp_same_names_release(struct pp_same_names *names)
{
	free(names->slots);
	*names = (struct pp_same_names){ 0 };
}
