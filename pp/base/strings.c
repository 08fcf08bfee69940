// SPDX-License-Identifier: GPL-2.0-or-later
/* strings.c -- hands out bytes from large pieces. */
#include "config.h"
#include "pp/base/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST	128	/* bytes, of each of many binaries; later pieces are larger */
#define PIECE	65536

const char *pp_strings_add(struct pp_strings **strings, const char *text)
{
	struct pp_strings *piece = *strings;
	size_t n = strlen(text) + 1;
	char *copy;

	if (!piece || piece->size - piece->used < n) {
		size_t size = piece ? 2 * piece->size : FIRST;

		size = size > PIECE ? PIECE : size;
		size = size < n ? n : size;
		piece = malloc(sizeof(*piece) + size);
		if (!piece)
			return NULL;
		piece->next = *strings;
		piece->used = 0;
		piece->size = size;
		*strings = piece;
	}
	copy = piece->bytes + piece->used;
	piece->used += n;
	return memcpy(copy, text, n);
}

void pp_strings_join(struct pp_strings **strings, struct pp_strings **more)
{
	struct pp_strings **end = more;

	while (*end)
		end = &(*end)->next;
	*end = *strings;
	*strings = *more;
	*more = NULL;
}

void pp_strings_free(struct pp_strings *strings)
{
	while (strings) {
		struct pp_strings *next = strings->next;

		free(strings);
		strings = next;
	}
}

static size_t hash(const char *text)
{
	size_t h = 5381;

	while (*text)
		h = h * 33 ^ (unsigned char)*text++;
	return h;
}

static size_t slot_of(const struct pp_intern *intern, const char *text)
{
	size_t i = hash(text) & (intern->size - 1);

	while (intern->slots[i] && strcmp(intern->slots[i], text))
		i = (i + 1) & (intern->size - 1);
	return i;
}

/* At least half of the slots stay empty. */
static int intern_grow(struct pp_intern *intern)
{
	struct pp_intern new = { .nr = intern->nr, .size = intern->size ? 2 * intern->size : 64 };

	if (2 * intern->nr < intern->size)
		return 0;
	new.slots = calloc(new.size, sizeof(*new.slots));
	if (!new.slots)
		return -ENOMEM;
	for (size_t i = 0; i < intern->size; i++)
		if (intern->slots[i])
			new.slots[slot_of(&new, intern->slots[i])] = intern->slots[i];
	free(intern->slots);
	*intern = new;
	return 0;
}

const char *pp_intern(struct pp_intern *intern, struct pp_strings **strings, const char *text)
{
	size_t slot;

	if (intern_grow(intern))
		return NULL;
	slot = slot_of(intern, text);
	if (!intern->slots[slot]) {
		intern->slots[slot] = pp_strings_add(strings, text);
		intern->nr += intern->slots[slot] != NULL;
	}
	return intern->slots[slot];
}

void pp_intern_release(struct pp_intern *intern)
{
	free(intern->slots);
	*intern = (struct pp_intern){ 0 };
}
