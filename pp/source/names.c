// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c -- functions of images that another host has named. */
#include "config.h"
#include "pp/source/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "libop/session/identity.h"

#define MAX_ID	64	/* maximum length of a build-id in bytes */

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

size_t pp_build_id_bytes(uint8_t *ret, size_t size, const char *hex)
{
	size_t len = strlen(hex);

	if (len % 2 || len / 2 > size)
		return 0;
	for (size_t i = 0; i < len / 2; i++) {
		int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return len / 2;
}

static uint32_t build_of(const char *build_id)
{
	uint8_t id[MAX_ID];
	size_t len = pp_build_id_bytes(id, sizeof(id), build_id);

	return len ? op_identity_of_build_id(id, len) : 0;
}

static uint32_t *slot_of(const struct pp_names *names, uint32_t *slots, size_t nr_slots,
			 const char *path, uint32_t build)
{
	size_t i = op_hash_number(op_hash_text(OP_HASH_BEGIN, path), build);

	for (;; i++) {
		uint32_t *slot = &slots[i & (nr_slots - 1)];
		const struct pp_named_image *image = *slot ? &names->images[*slot - 1] : NULL;

		if (!image || (image->build == build && !strcmp(image->path, path)))
			return slot;
	}
}

static int grow_slots(struct pp_names *names)
{
	size_t nr = names->nr_slots ? 2 * names->nr_slots : 256;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < names->nr; i++)
		*slot_of(names, slots, nr, names->images[i].path, names->images[i].build) =
			(uint32_t)i + 1;
	free(names->slots);
	names->slots = slots;
	names->nr_slots = nr;
	return 0;
}

int pp_names_image(struct pp_names *names, const char *path, const char *build_id, uint32_t *ret)
{
	const uint32_t build = build_of(build_id);
	struct pp_named_image image = { .build = build };
	uint32_t *slot;

	if (2 * names->nr >= names->nr_slots && grow_slots(names))
		return -ENOMEM;
	slot = slot_of(names, names->slots, names->nr_slots, path, build);
	if (!*slot) {
		image.path = pp_intern(&names->intern, &names->strings, path);
		image.build_id = pp_intern(&names->intern, &names->strings, build ? build_id : "");
		if (!image.path || !image.build_id || names->nr >= UINT32_MAX - 1 ||
		    op_grow(&names->images, names->nr))
			return -ENOMEM;
		names->images[names->nr++] = image;
		*slot = (uint32_t)names->nr;
	}
	*ret = *slot - 1;
	return 0;
}

int pp_names_symbol(struct pp_names *names, uint32_t image, const char *name, uint64_t *ret)
{
	struct pp_named_image *to = &names->images[image];
	const uint64_t hash = op_hash_text(OP_HASH_BEGIN, name);
	struct pp_named_symbol symbol = {
		.key = op_hash_number(hash, strlen(name)) >> 2 | PP_NAMES_FIRST_KEY,
		.name = pp_intern(&names->intern, &names->strings, name),
	};

	if (!symbol.name || op_grow(&to->symbols, to->nr))
		return -ENOMEM;
	to->symbols[to->nr++] = symbol;
	*ret = symbol.key;
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_named_symbol *x = a, *y = b;

	return op_compare_u64(x->key, y->key);
}

void pp_names_finish(struct pp_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		struct pp_named_image *image = &names->images[i];
		size_t nr = 0;

		if (image->nr)
			qsort(image->symbols, image->nr, sizeof(*image->symbols), compare_symbols);
		for (size_t s = 0; s < image->nr; s++)
			if (!nr || image->symbols[nr - 1].key != image->symbols[s].key)
				image->symbols[nr++] = image->symbols[s];
		image->nr = nr;
	}
}

const struct pp_named_image *pp_names_find(const struct pp_names *names, const char *path,
					   uint32_t build)
{
	uint32_t *slot = NULL;

	if (names->nr_slots)
		slot = slot_of(names, names->slots, names->nr_slots, path, build);
	if (slot && *slot)
		return &names->images[*slot - 1];
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->images[i].path, path))
			return &names->images[i];
	return NULL;
}

void pp_names_release(struct pp_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->images[i].symbols);
	free(names->images);
	free(names->slots);
	pp_intern_release(&names->intern);
	pp_block_free(names->strings);
	*names = (struct pp_names){ .images = NULL };
}
