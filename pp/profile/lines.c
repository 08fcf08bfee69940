// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c -- source lines of codes and addresses, from an image. */
#include "config.h"
#include "pp/profile/lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "pp/base/block.h"

struct finder {
	struct pp_part *part;
	struct pp_image *image;
	uint32_t build;		/* the image's current build */
	struct pp_intern names;
};

/* Replace *@text by a copy that the part owns. */
static int keep(struct finder *f, const char **text)
{
	if (!*text)
		return 0;
	*text = pp_intern(&f->names, &f->part->strings, *text);
	return *text ? 0 : -ENOMEM;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Find the first line of each code. */
static int find_codes(struct finder *f)
{
	struct pp_part *part = f->part;

	for (size_t i = 0; i < part->nr_codes; i++) {
		struct pp_code *code = &part->codes[i];
		struct pp_frame frame;

		if (code->kind != PP_CODE_SYMBOL || code->build != f->build ||
		    !pp_image_symbol_line(f->image, code->vma, &frame))
			continue;
		if (keep(f, &frame.file))
			return -ENOMEM;
		code->file = frame.file;
		code->line = frame.line;
	}
	return 0;
}

static int find_frames(struct finder *f, uint64_t vma, struct pp_frames *ret)
{
	struct pp_frame frames[PP_MAX_FRAMES], *copy;
	unsigned int nr = pp_image_frames(f->image, vma, frames, PP_MAX_FRAMES);

	*ret = (struct pp_frames){ 0 };
	if (!nr)
		return 0;
	copy = (struct pp_frame *)pp_block_alloc(
		&f->part->blocks, (nr * sizeof(*copy) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
	if (!copy)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		copy[i] = frames[i];
		if (keep(f, &copy[i].file) || keep(f, &copy[i].function))
			return -ENOMEM;
	}
	*ret = (struct pp_frames){ copy, nr };
	return 0;
}

/* Skip raw addresses of a missing file and addresses of another build: this file has no lines
 * for them. */
static bool has_lines(const struct finder *f, const struct pp_details *details,
		      const uint32_t *code_of_details)
{
	const struct pp_code *code = &f->part->codes[code_of_details[details - f->part->details]];

	return code->kind != PP_CODE_RAW && code->build == f->build;
}

static size_t collect_addresses(const struct finder *f, const uint32_t *code_of, uint64_t *ret)
{
	const struct pp_part *part = f->part;
	size_t nr = 0, kept = 0;

	for (size_t d = 0; d < part->nr_details; d++) {
		const struct pp_details *details = &part->details[d];

		for (size_t i = 0; i < details->nr && has_lines(f, details, code_of); i++)
			ret[nr++] = details->items[i].vma;
	}
	if (nr)
		qsort(ret, nr, sizeof(*ret), compare_u64);
	for (size_t i = 0; i < nr; i++)
		if (!kept || ret[kept - 1] != ret[i])
			ret[kept++] = ret[i];
	return kept;
}

/* Give the details the frames of their addresses. */
static int distribute(const struct finder *f, const uint32_t *code_of, const uint64_t *addresses,
		      const struct pp_frames *frames, size_t nr)
{
	struct pp_part *part = f->part;

	for (size_t d = 0; d < part->nr_details; d++) {
		struct pp_details *details = &part->details[d];

		if (!details->frames)
			details->frames = (struct pp_frames *)pp_block_alloc(
				&part->blocks,
				details->nr * sizeof(*details->frames) / sizeof(uint64_t));
		if (!details->frames)
			return -ENOMEM;
		for (size_t i = 0; i < details->nr && has_lines(f, details, code_of); i++) {
			const uint64_t *found = bsearch(&details->items[i].vma, addresses, nr,
							sizeof(*addresses), compare_u64);

			details->frames[i] = frames[found - addresses];
		}
	}
	return 0;
}

static int find_details(struct finder *f)
{
	struct pp_part *part = f->part;
	uint32_t *code_of = calloc(part->nr_details + 1, sizeof(*code_of));
	struct pp_frames *frames = NULL;
	uint64_t *addresses = NULL;
	size_t nr = 0;
	int err = -ENOMEM;

	for (size_t d = 0; d < part->nr_details; d++)
		nr += part->details[d].nr;
	addresses = calloc(nr + 1, sizeof(*addresses));
	if (!code_of || !addresses)
		goto done;
	for (size_t i = 0; i < part->nr_entries; i++)
		if (part->entries[i].details)
			code_of[part->entries[i].details - 1] = part->entries[i].code;
	nr = collect_addresses(f, code_of, addresses);
	frames = calloc(nr + 1, sizeof(*frames));
	if (!frames)
		goto done;
	err = 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = find_frames(f, addresses[i], &frames[i]);
	if (!err)
		err = distribute(f, code_of, addresses, frames, nr);
done:
	free(frames);
	free(addresses);
	free(code_of);
	return err;
}

int pp_part_find_lines(struct pp_part *part, struct pp_image *image)
{
	struct finder f = { .part = part, .image = image };
	int err = 0;

	for (f.build = 0; f.build < part->nr_builds && !err; f.build++) {
		err = pp_image_begin(image, &part->builds[f.build]);
		if (!err)
			err = find_codes(&f);
		if (!err && part->nr_details)
			err = find_details(&f);
	}
	pp_intern_release(&f.names);
	return err;
}
