// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_lines.c -- removes functions without samples from the files jit/PID.map. */
#include "config.h"
#include "intervals/jit_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"

#define JIT_DIR		"jit/"
#define MAP_SUFFIX	".map"

/* The sorted addresses of all samples and frames in JIT code of an interval. */
struct hits {
	uint64_t *items;
	size_t nr;
};

static bool is_anon(const struct itv *v, uint32_t image)
{
	return v->images[image].image.name.kind == OP_IMAGE_ANON;
}

static uint64_t anon_start(const struct itv *v, uint32_t image)
{
	return v->images[image].image.name.anon_start;
}

/* Set *@hits to the addresses of all samples and frames in JIT code. Return 0 or -ENOMEM. */
static int find_hits(struct hits *hits, const struct itv *v)
{
	size_t room = v->nr_frames;

	for (uint32_t g = 0; g < v->nr_groups; g++)
		if (is_anon(v, v->groups[g].image))
			room += v->groups[g].nr_cells;
	hits->items = calloc(room + 1, sizeof(*hits->items));
	if (!hits->items)
		return -ENOMEM;
	for (uint32_t g = 0; g < v->nr_groups; g++) {
		const struct itv_group *group = &v->groups[g];

		if (!is_anon(v, group->image))
			continue;
		for (uint32_t i = 0; i < group->nr_cells; i++)
			hits->items[hits->nr++] =
				anon_start(v, group->image) + v->cells[group->cell + i].key;
	}
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		const struct itv_frame *frame = &v->frames[i];

		if (frame->image && is_anon(v, frame->image - 1))
			hits->items[hits->nr++] =
				anon_start(v, frame->image - 1) + frame->offset;
	}
	qsort(hits->items, hits->nr, sizeof(*hits->items), op_compare_u64_items);
	return 0;
}

/* Return whether an address of a sample or frame is in [@start, @end]. */
static bool is_hit(const struct hits *hits, uint64_t start, uint64_t end)
{
	size_t low = 0, high = hits->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hits->items[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < hits->nr && hits->items[low] <= end;
}

/* Return whether to keep the line "START SIZE NAME" (hexadecimal) of a jit/PID.map. Keep lines that
 * cannot be parsed, and lines with size 0: the functions of the latter end at the next line. */
static bool is_kept(const struct hits *hits, const char *line)
{
	unsigned long long start, size;
	char *end;

	errno = 0;
	start = strtoull(line, &end, 16);
	if (end == line || errno || (*end != ' ' && *end != '\t'))
		return true;
	line = end;
	size = strtoull(line, &end, 16);
	if (end == line || errno || !size || start + size < start)
		return true;
	/* Include the address after the function: a return address may be there. */
	return is_hit(hits, start, start + size);
}

static void reduce(struct itv_file *file, const struct hits *hits)
{
	char *to = file->data, *line = file->data, *last = file->data + file->len;

	while (line < last) {
		char *end = memchr(line, '\n', (size_t)(last - line));
		size_t len = (size_t)((end ? end + 1 : last) - line);

		/* @data ends with a NUL, so the parser stops at the end of the last line. */
		if (is_kept(hits, line)) {
			memmove(to, line, len);
			to += len;
		}
		line += len;
	}
	file->len = (size_t)(to - file->data);
	*to = '\0';
}

static bool is_map(const char *name)
{
	size_t n = strlen(name), m = strlen(MAP_SUFFIX);

	return !strncmp(name, JIT_DIR, strlen(JIT_DIR)) && n > m &&
	       !strcmp(name + n - m, MAP_SUFFIX);
}

int itv_jit_reduce(struct itv *v)
{
	struct hits hits = { 0 };
	int err = find_hits(&hits, v);

	for (uint32_t i = 0; i < v->nr_files && !err; i++)
		if (is_map(v->files[i].name))
			reduce(&v->files[i], &hits);
	free(hits.items);
	return err;
}
