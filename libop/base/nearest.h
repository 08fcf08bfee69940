/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h -- suggestions of similar names for a name that does not exist.
 */
#ifndef OP_BASE_NEAREST_H
#define OP_BASE_NEAREST_H

#include <stddef.h>

#define OP_NEAREST_MAX	3

/* The most similar names that were found so far, best first. All zeros: no suggestions. The caller
 * owns the names. */
struct op_nearest {
	const char *names[OP_NEAREST_MAX];
	unsigned int distances[OP_NEAREST_MAX];
	size_t nr;
};

/* Return the number of insertions, deletions, changes and swaps of single characters between two
 * names, ignoring case. Declared for tests. */
unsigned int op_name_distance(const char *a, const char *b);

/* Add @name to the suggestions if it is similar to @wrong. */
void op_nearest_add(struct op_nearest *nearest, const char *wrong, const char *name);

/* Write " (did you mean A, B or C?)" with the suggestions, or "" if there are no suggestions, to
 * @buffer. Return @buffer. */
const char *op_nearest_text(const struct op_nearest *nearest, char *buffer, size_t size);
/* Do the same as op_nearest_text(), with @prefix, such as "--", before each name. */
const char *op_nearest_text_of(const struct op_nearest *nearest, const char *prefix, char *buffer,
			       size_t size);

/* Write " (did you mean NAME?)" with the names of @list ("cpu, lib, tid") that are similar to
 * the first @len bytes of @wrong. Write "" if no name is similar. Return @buffer. */
const char *op_list_suggest(const char *list, const char *wrong, size_t len, char *buffer,
			    size_t size);

#endif
