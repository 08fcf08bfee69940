// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nearest.c -- search for similar names, by edit distance.
 */
#include "config.h"
#include "libop/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_NAME	128

static bool same(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b);
}

unsigned int op_name_distance(const char *a, const char *b)
{
	/* rows[i] contains the distances between the first i characters of @a and each prefix of
	 * @b. Only the last three rows are stored. */
	unsigned int rows[3][MAX_NAME + 1];
	size_t len_a = strnlen(a, MAX_NAME), len_b = strnlen(b, MAX_NAME), i, j;

	for (j = 0; j <= len_b; j++)
		rows[0][j] = j;
	for (i = 1; i <= len_a; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const unsigned int *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (j = 1; j <= len_b; j++) {
			unsigned int best = above[j - 1] + !same(a[i - 1], b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) && above2[j - 2] + 1 < best)
				best = above2[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[len_a % 3][len_b];
}

void op_nearest_add(struct op_nearest *nearest, const char *wrong, const char *name)
{
	size_t len = strlen(wrong), i;
	unsigned int distance = op_name_distance(wrong, name);

	/* A name is also similar if @wrong is its start or its end: "INST_RET", "L3_MISS", or "app"
	 * of "app-name". */
	if (distance > len / 3 + 1 &&
	    ((len >= 4 &&
	      (strcasestr(name, wrong) || (strlen(name) >= 4 && strcasestr(wrong, name)))) ||
	     (len == 3 && !strncasecmp(name, wrong, len))))
		distance = len / 3 + 1;
	if (distance > len / 3 + 1 || (nearest->nr && distance > 2 * nearest->distances[0] + 1))
		return;
	for (i = 0; i < nearest->nr; i++) {
		if (!strcmp(nearest->names[i], name))
			return;
	}
	for (i = nearest->nr; i && nearest->distances[i - 1] > distance; i--) {
		if (i < OP_NEAREST_MAX) {
			nearest->names[i] = nearest->names[i - 1];
			nearest->distances[i] = nearest->distances[i - 1];
		}
	}
	if (i == OP_NEAREST_MAX)
		return;
	nearest->names[i] = name;
	nearest->distances[i] = distance;
	if (nearest->nr < OP_NEAREST_MAX)
		nearest->nr++;
	/* If the best suggestion is very similar to the wrong name, remove suggestions that are
	 * much less similar. */
	while (nearest->distances[nearest->nr - 1] > 2 * nearest->distances[0] + 1)
		nearest->nr--;
}

const char *op_nearest_text_of(const struct op_nearest *nearest, const char *prefix, char *buffer,
			       size_t size)
{
	size_t len;

	buffer[0] = 0;
	for (size_t i = 0; i < nearest->nr; i++) {
		len = strlen(buffer);
		snprintf(buffer + len, size - len, "%s%s%s",
			 !i ? " (did you mean " : i + 1 < nearest->nr ? ", " : " or ", prefix,
			 nearest->names[i]);
	}
	len = strlen(buffer);
	if (len)
		snprintf(buffer + len, size - len, "?)");
	return buffer;
}

const char *op_nearest_text(const struct op_nearest *nearest, char *buffer, size_t size)
{
	return op_nearest_text_of(nearest, "", buffer, size);
}

const char *op_list_suggest(const char *list, const char *wrong, size_t len, char *buffer,
			    size_t size)
{
	struct op_nearest nearest = { .nr = 0 };
	char *word = strndup(wrong, len), *copy = strdup(list), *rest = copy, *name;

	buffer[0] = '\0';
	while (word && *word && copy && (name = strsep(&rest, ", ")))
		if (*name)
			op_nearest_add(&nearest, word, name);
	op_nearest_text(&nearest, buffer, size);
	free(copy);
	free(word);
	return buffer;
}
