// SPDX-License-Identifier: GPL-2.0-or-later
/* strings.c -- hands out bytes from large pieces. */
#include "config.h"
#include "pp/profile/strings.h"

#include <stdlib.h>
#include <string.h>

#define PIECE	65536

const char *pp_strings_add(struct pp_strings **strings, const char *text)
{
	struct pp_strings *piece = *strings;
	size_t n = strlen(text) + 1;
	char *copy;

	if (!piece || piece->size - piece->used < n) {
		size_t size = n > PIECE ? n : PIECE;

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

void pp_strings_free(struct pp_strings *strings)
{
	while (strings) {
		struct pp_strings *next = strings->next;

		free(strings);
		strings = next;
	}
}
