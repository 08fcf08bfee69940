/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h -- what the user may have meant by a name that does not exist.
 */
#ifndef OP_BASE_NEAREST_H
#define OP_BASE_NEAREST_H

#include <stddef.h>

#define OP_NEAREST_MAX	3

/* The best few so far, nearest first; start with all zero. Names are borrowed. */
struct op_nearest {
	const char *names[OP_NEAREST_MAX];
	unsigned int distances[OP_NEAREST_MAX];
	size_t nr;
};

/* Single-character insertions, deletions, changes and swaps between two names, without case. */
unsigned int op_name_distance(const char *a, const char *b);

/* Considers @name as a meaning of @wrong; far-off names are ignored. */
void op_nearest_add(struct op_nearest *nearest, const char *wrong, const char *name);

/* " (did you mean A, B or C?)", or "" when there is none. Returns @buffer. */
const char *op_nearest_text(const struct op_nearest *nearest, char *buffer, size_t size);
/* The same with @prefix before each: "--". */
const char *op_nearest_text_of(const struct op_nearest *nearest, const char *prefix, char *buffer, size_t size);

/* For a message: which of @list ("cpu, lib, tid") the first @len bytes of @wrong may mean. */
const char *op_list_meant(const char *list, const char *wrong, size_t len, char *buffer, size_t size);

#endif
