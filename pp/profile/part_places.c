// SPDX-License-Identifier: GPL-2.0-or-later
/* part_places.c -- one place for each function, and for each function inlined into it. */
#include "config.h"
#include "pp/profile/part_places.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"

#define MAX_CHAIN	(1u << 30)

static int add_place(struct pp_part_places *p, const struct pp_place *place, uint32_t *ret)
{
	struct pp_frame_places *all = &p->codes->part->paths;

	if (all->nr_places >= MAX_CHAIN || op_grow(&all->places, all->nr_places))
		return -ENOMEM;
	all->places[all->nr_places] = *place;
	*ret = all->nr_places++;
	return 0;
}

static int place_of_code(struct pp_part_places *p, const struct pp_slot *slot, bool is_kernel,
			 uint32_t *ret)
{
	const struct pp_place place = {
		.code = slot->code,
		.kind = PP_PLACE_CODE,
		.is_kernel = is_kernel,
		.unwanted = slot->unwanted,
		.nameless = p->codes->part->codes[slot->code].kind != PP_CODE_SYMBOL,
	};
	int err;

	while (p->nr_of_code <= slot->code) {
		if (op_grow(&p->of_code, p->nr_of_code))
			return -ENOMEM;
		p->of_code[p->nr_of_code++] = 0;
	}
	if (p->of_code[slot->code]) {
		*ret = p->of_code[slot->code] - 1;
		return 0;
	}
	err = add_place(p, &place, ret);
	if (!err)
		p->of_code[slot->code] = *ret + 1;
	return err;
}

static size_t slot_of(const struct pp_part_places *p, const struct pp_place *place)
{
	uint64_t h =
		op_hash_number(op_hash_number(OP_HASH_BEGIN, (uintptr_t)place->name), place->code);

	return op_hash_number(op_hash_number(h, (uintptr_t)place->file), place->line) &
	       (p->size - 1);
}

static int make_room(struct pp_part_places *p)
{
	const struct pp_place *places = p->codes->part->paths.places;
	size_t old_size = p->size;
	uint32_t *old = p->inlined;

	if (p->nr_inlined * 2 < p->size)
		return 0;
	p->inlined = calloc(old_size ? 2 * old_size : 64, sizeof(*p->inlined));
	if (!p->inlined) {
		p->inlined = old;
		return -ENOMEM;
	}
	p->size = old_size ? 2 * old_size : 64;
	for (size_t i = 0; i < old_size; i++) {
		size_t at;

		if (!old[i])
			continue;
		for (at = slot_of(p, &places[old[i] - 1]); p->inlined[at];
		     at = (at + 1) & (p->size - 1))
			;
		p->inlined[at] = old[i];
	}
	free(old);
	return 0;
}

/* Find or add @place. Its name and file are interned, so that pointers can be compared. Return 0 or
 * -ENOMEM. */
static int find_place(struct pp_part_places *p, const struct pp_place *place, uint32_t *ret)
{
	const struct pp_place *places = p->codes->part->paths.places;
	size_t at;
	int err = make_room(p);

	if (err)
		return err;
	for (at = slot_of(p, place); p->inlined[at]; at = (at + 1) & (p->size - 1)) {
		const struct pp_place *there = &places[p->inlined[at] - 1];

		if (there->name == place->name && there->code == place->code &&
		    there->file == place->file && there->line == place->line) {
			*ret = p->inlined[at] - 1;
			return 0;
		}
	}
	err = add_place(p, place, ret);
	if (err)
		return err;
	p->inlined[at] = *ret + 1;
	p->nr_inlined++;
	return 0;
}

static int add_inlined(struct pp_part_places *p, const char *function, const struct pp_place *outer,
		       uint32_t *ret)
{
	struct pp_place place = *outer;

	place.kind = PP_PLACE_INLINED;
	if (!function)
		function = "(nameless)";
	place.name = pp_demangle(&p->codes->demangler, function, p->codes->options->demangle);
	if (!place.name || pp_part_raw_name(p->codes, function, place.name, &place.raw))
		return -ENOMEM;
	return find_place(p, &place, ret);
}

static int add_chain(struct pp_part_places *p, uint32_t place)
{
	struct pp_frame_places *all = &p->codes->part->paths;

	if (all->nr_chain >= MAX_CHAIN || op_grow(&all->chain, all->nr_chain))
		return -ENOMEM;
	all->chain[all->nr_chain++] = place;
	return 0;
}

/* Change *@place to the place of the same function with the line of @at. Return 0 or -ENOMEM. */
static int add_line(struct pp_part_places *p, const struct pp_frame *at, uint32_t *place)
{
	struct pp_place with_line = p->codes->part->paths.places[*place];

	if (!at->file)
		return 0;
	with_line.file = pp_intern(&p->files, &p->codes->part->strings, at->file);
	with_line.line = at->line;
	return with_line.file ? find_place(p, &with_line, place) : -ENOMEM;
}

/* Make the chain of @frame: the function @place, and the functions inlined there; @inlined[0] is
 * the innermost. Return 0 or -ENOMEM. */
static int make_chain(struct pp_part_places *p, struct pp_path_frame *frame, uint32_t place,
		      const struct pp_frame *inlined, unsigned int nr)
{
	struct pp_frame_places *all = &p->codes->part->paths;
	int err = 0;

	frame->place = all->nr_chain;
	frame->nr_places = 0;
	for (unsigned int i = nr ? nr : 1; i-- > 0 && !err;) {
		const struct pp_place outer = all->places[place];
		uint32_t shown = place;

		if (p->codes->options->call_lines && i < nr)
			err = add_line(p, &inlined[i], &shown);
		if (!err)
			err = add_chain(p, shown);
		frame->nr_places += !err;
		/* The outermost element is the function itself, with its symbol's name. */
		if (!err && i)
			err = add_inlined(p, inlined[i - 1].function, &outer, &place);
	}
	if (!err && p->codes->options->call_lines)
		err = add_chain(p, place);
	return err;
}

int pp_part_place_frame(struct pp_part_places *p, struct pp_path_frame *frame, bool is_kernel)
{
	struct pp_frame inlined[PP_MAX_FRAMES];
	unsigned int nr = 0;
	struct pp_slot *slot;
	uint32_t place;
	uint32_t symbol = pp_image_lookup(p->codes->image, frame->offset);
	int err = pp_part_code_of(p->codes, symbol, &slot);

	frame->vma = pp_image_vma(p->codes->image, frame->offset);
	if (p->codes->options->tree_arcs)
		frame->is_last = pp_image_lookup(p->codes->image, frame->offset + 1) != symbol;
	if (!err)
		err = place_of_code(p, slot, is_kernel, &place);
	if (err)
		return err;
	if (p->codes->options->lines && p->codes->part->codes[slot->code].kind != PP_CODE_RAW)
		nr = pp_image_frames(p->codes->image, frame->vma, inlined, PP_MAX_FRAMES);
	return make_chain(p, frame, place, inlined, nr);
}

void pp_part_places_release(struct pp_part_places *p)
{
	free(p->of_code);
	free(p->inlined);
	pp_intern_release(&p->files);
}
