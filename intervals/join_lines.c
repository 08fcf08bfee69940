// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * join_lines.c -- joins two versions of a small text file, from an earlier and a later interval.
 *
 * Each line of such a file describes one item, and a later line overrides an earlier one. So the
 * result has all lines of the earlier interval's file, followed by the lines that only the later
 * interval's file has.
 */
#include "config.h"
#include "intervals/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"

struct known_line {
	struct op_hash_link link;
	const char *text;
	size_t len;
};

/* Return the length of the line that begins at @at, including its newline. */
static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

static bool is_text(const struct itv_file *file)
{
	return !file->len || (!memchr(file->data, '\0', file->len) &&
			      file->data[file->len - 1] == '\n');
}

static bool is_known(const struct op_hash_table *known, uint64_t hash, const char *text, size_t len)
{
	for (struct op_hash_link *link = op_hash_first(known, hash); link;
	     link = op_hash_next(link)) {
		const struct known_line *line = (const struct known_line *)(void *)link;

		if (line->len == len && !memcmp(line->text, text, len))
			return true;
	}
	return false;
}

/* Append to @data the lines that only @second contains; @data already contains the lines of @first.
 * Return the new length of @data. */
static size_t add_lines(const struct itv_file *first, const struct itv_file *second, char *data,
			struct op_hash_table *known, struct known_line *lines)
{
	const char *end = first->data + first->len;
	size_t len = first->len, line, nr = 0;

	for (const char *at = first->data; at < end; at += line) {
		line = line_length(at, end);
		lines[nr].text = at;
		lines[nr].len = line;
		op_hash_add(known, &lines[nr++].link, op_hash_bytes(OP_HASH_BEGIN, at, line));
	}
	end = second->data + second->len;
	for (const char *at = second->data; at < end; at += line) {
		line = line_length(at, end);
		if (!is_known(known, op_hash_bytes(OP_HASH_BEGIN, at, line), at, line)) {
			memcpy(data + len, at, line);
			len += line;
		}
	}
	return len;
}

static size_t count_lines(const struct itv_file *file)
{
	const char *end = file->data + file->len;
	size_t nr = 0;

	for (const char *at = file->data; at < end; at += line_length(at, end))
		nr++;
	return nr;
}

int itv_join_lines(const struct itv_file *first, const struct itv_file *second,
		   struct itv_file *ret)
{
	struct op_hash_table known = { 0 };
	struct known_line *lines = NULL;
	char *name = strdup(second->name), *data = malloc(first->len + second->len + 1);
	size_t len = second->len;
	int err = name && data ? 0 : -ENOMEM;

	if (!err && is_text(first) && is_text(second) && first->len) {
		lines = itv_new_list(count_lines(first), sizeof(*lines));
		err = lines ? op_hash_init(&known) : -ENOMEM;
		if (!err) {
			memcpy(data, first->data, first->len);
			len = add_lines(first, second, data, &known, lines);
		}
	} else if (!err && len) {
		memcpy(data, second->data, len);
	}
	op_hash_release(&known);
	free(lines);
	if (err) {
		free(name);
		free(data);
		return err;
	}
	*ret = (struct itv_file){ .name = name, .data = data, .len = len };
	return 0;
}
