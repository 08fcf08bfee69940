// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * go_lines.c -- reader of the lists of lines and files in Go's table.
 *
 * A function's description has the offsets of its lists. A list consists of pairs of differences:
 * of the value (zigzag), and of the address up to which the value holds. A difference of 0 for the
 * value ends the list, except in the first pair.
 */
#include "config.h"
#include "pp/image/go_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libcfi/bytes.h"
#include "libop/base/search.h"
#include "pp/image/go_table.h"

#define MAX_STEPS	(1u << 20)	/* maximum of pairs that a look-up reads from a list, */
#define ALL_STEPS	(1u << 30)	/* and of all look-ups together */

/* Indices of numbers in a description, counted from the offset of the name. */
enum { LIST_OF_FILES = 4, LIST_OF_LINES = 5, UNIT = 7 };

struct pp_go_lines {
	struct pp_go_table table;
	uint64_t steps;		/* rest of ALL_STEPS */
};

int pp_go_lines_open(struct pp_go_lines **ret, const struct pp_elf *elf)
{
	struct pp_go_lines *lines = calloc(1, sizeof(*lines));
	int err = lines ? pp_go_table_read(&lines->table, elf) : -ENOMEM;

	if (err) {
		free(lines);
		return err;
	}
	lines->steps = ALL_STEPS;
	*ret = lines;
	return 0;
}

void pp_go_lines_close(struct pp_go_lines *lines)
{
	if (!lines)
		return;
	pp_go_table_release(&lines->table);
	free(lines);
}

/* Read the number of 4 bytes at an offset. Return false if it is outside the table. */
static bool number_at(const struct pp_go_table *t, uint64_t at, uint32_t *ret)
{
	if (at > t->size || t->size - at < 4)
		return false;
	*ret = pp_go_number(t, at, 4);
	return true;
}

/* Read the value that a list has for the code at @offset in its function. */
static bool value_at(struct pp_go_lines *lines, uint32_t list, uint64_t offset, int32_t *ret)
{
	const struct pp_go_table *t = &lines->table;
	struct cfi_bytes bytes = {.at = (const unsigned char *)t->data,
				  .end = (const unsigned char *)t->data + t->size};
	uint64_t end = 0;
	uint32_t value = UINT32_MAX;

	cfi_take(&bytes, t->lists);
	cfi_take(&bytes, list);
	for (unsigned int i = 0; i < MAX_STEPS && lines->steps; i++) {
		uint32_t step = cfi_uleb(&bytes);

		lines->steps--;
		if (bytes.failed || (!step && i))
			return false;
		value += step & 1 ? ~(step >> 1) : step >> 1;
		end += (uint32_t)cfi_uleb(&bytes) * (uint64_t)t->quantum;
		if (!bytes.failed && offset < end) {
			*ret = (int32_t)value;
			return true;
		}
	}
	return false;
}

static const char *string_at(const struct pp_go_table *t, uint64_t at)
{
	return at < t->size && memchr(t->data + at, '\0', t->size - at) ? t->data + at : NULL;
}

/* Return the name of a file. @description: the function's description. */
static const char *file_name(const struct pp_go_table *t, uint64_t description, int32_t file)
{
	uint32_t unit, at;

	if (file < 0)
		return NULL;
	if (!t->units)
		return number_at(t, t->files + 4ull * file, &at) ? string_at(t, at) : NULL;
	if (!number_at(t, description + 4 * UNIT, &unit) ||
	    !number_at(t, t->units + 4 * ((uint64_t)unit + file), &at) || at == UINT32_MAX)
		return NULL;
	return string_at(t, t->files + at);
}

bool pp_go_lines_line(struct pp_go_lines *lines, uint64_t vma, struct pp_frame *ret)
{
	const struct pp_go_table *t = &lines->table;
	uint64_t above = op_partition_point(i, t->nr, pp_go_address(t, i) <= vma), description,
		 offset;
	uint32_t files, numbers;
	int32_t file, line;
	const char *name;

	if (!above || vma >= pp_go_address(t, above))
		return false;
	offset = vma - pp_go_address(t, above - 1);
	description = t->descriptions + t->field +
		      pp_go_number(t, t->index + (2 * above - 1) * t->field, t->field);
	if (!number_at(t, description + 4 * LIST_OF_FILES, &files) ||
	    !number_at(t, description + 4 * LIST_OF_LINES, &numbers) ||
	    !value_at(lines, files, offset, &file) || !value_at(lines, numbers, offset, &line))
		return false;
	name = file_name(t, description, file);
	if (!name || line <= 0)
		return false;
	*ret = (struct pp_frame){ .file = name, .line = line };
	return true;
}
