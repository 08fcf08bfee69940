// SPDX-License-Identifier: GPL-2.0-or-later
/* part_codes.c -- makes a code (a function in the profile) for each sampled symbol of one
 * binary. */
#include "config.h"
#include "pp/profile/part_codes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "pp/image/demangle.h"
#include "pp/profile/profile.h"

/* A slot of the hash table that maps names to symbols. */

struct pp_same_name {
	const char *name;	/* name of the symbol in this slot; NULL: the slot is free */
	uint32_t symbol;
};

static struct pp_same_name *name_slot(struct pp_same_name *slots, size_t size, const char *name)
{
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, name);
	size_t i = hash ^ hash >> 32;

	while (slots[i & (size - 1)].name && strcmp(slots[i & (size - 1)].name, name))
		i++;
	return &slots[i & (size - 1)];
}

/* Return the number of the symbol with the name @name, or PP_NO_SAME_NAME. */
static uint32_t same_names_find(const struct pp_same_names *names, const char *name)
{
	const struct pp_same_name *slot;

	if (!names->size)
		return PP_NO_SAME_NAME;
	slot = name_slot(names->slots, names->size, name);
	return slot->name ? slot->symbol : PP_NO_SAME_NAME;
}

static int grow(struct pp_same_names *names)
{
	size_t size = names->size ? 2 * names->size : 256;
	struct pp_same_name *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < names->size; i++)
		if (names->slots[i].name)
			*name_slot(slots, size, names->slots[i].name) = names->slots[i];
	free(names->slots);
	names->slots = slots;
	names->size = size;
	return 0;
}

/* Add a symbol to the table, unless the table already has a symbol of this name. The table does not
 * copy @name. Return 0 or -ENOMEM. */
static int same_names_add(struct pp_same_names *names, const char *name, uint32_t symbol)
{
	struct pp_same_name *slot;

	if (2 * names->nr >= names->size && grow(names))
		return -ENOMEM;
	slot = name_slot(names->slots, names->size, name);
	if (!slot->name) {
		*slot = (struct pp_same_name){ name, symbol };
		names->nr++;
	}
	return 0;
}

static void same_names_release(struct pp_same_names *names)
{
	free(names->slots);
	*names = (struct pp_same_names){ 0 };
}

/* Forms of a symbol's name, as the demangling styles print it. A glob may match any form: reports
 * on a terminal print shorter names than reports in a pipe, and users copy names from both. */
enum { RAW, FULL, SMART, NR_FORMS };

static bool matches_a_form(const char *glob, const char *const *forms)
{
	for (int i = 0; i < NR_FORMS; i++)
		if (pp_value_matches(glob, forms[i]))
			return true;
	return false;
}

/* Return whether a glob of @v matches one of @forms. Compare all globs even after a match, because
 * @met records each glob that matched a symbol. */
static bool match(const struct pp_values *v, const char *const *forms, bool *met)
{
	bool any = false;

	for (size_t i = 0; i < v->nr; i++) {
		if (!matches_a_form(v->items[i], forms))
			continue;
		any = true;
		if (met)
			__atomic_store_n(&met[i], true, __ATOMIC_RELAXED);
	}
	return any;
}

/* Return 1 if --include-symbols and --exclude-symbols select the symbol, else 0 or -ENOMEM. @raw:
 * the name in the binary, or a title for code without a symbol. Compare the globs with all forms of
 * the name. */
static int pp_filter_wants(const struct pp_profile_options *options, struct pp_demangler *demangler,
			   const char *raw)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;
	const char *forms[NR_FORMS];
	bool wants;

	if (!(include && include->nr) && !(exclude && exclude->nr))
		return 1;
	forms[RAW] = raw;
	forms[FULL] = pp_demangle(demangler, raw, PP_DEMANGLE_NORMAL);
	forms[SMART] = pp_demangle(demangler, raw, PP_DEMANGLE_SMART);
	if (!forms[FULL] || !forms[SMART])
		return -ENOMEM;
	wants = !include || !include->nr || match(include, forms, options->include_met);
	if (exclude && match(exclude, forms, options->exclude_met))
		wants = false;
	return wants;
}

#define MAX_CODES	(1u << 30)

void pp_part_codes_init(struct pp_part_codes *codes, struct pp_part *part,
			const struct pp_profile_options *options)
{
	*codes = (struct pp_part_codes){ .part = part, .options = options };
	pp_demangler_init(&codes->demangler, &part->strings);
	for (size_t s = 0; s < PP_NR_SPECIAL_SLOTS; s++)
		codes->special[s] = (struct pp_slot){ PP_NONE, PP_NONE, PP_NONE, false };
}

void pp_part_codes_release(struct pp_part_codes *codes)
{
	pp_demangler_release(&codes->demangler);
	same_names_release(&codes->names);
	free(codes->slots);
}

void pp_part_codes_new_group(struct pp_part_codes *codes)
{
	for (size_t s = 0; s < codes->nr_slots; s++)
		codes->slots[s].entry = PP_NONE;
	for (size_t s = 0; s < PP_NR_SPECIAL_SLOTS; s++)
		codes->special[s].entry = PP_NONE;
}

/* Return the slot of the symbol @symbol, or NULL if out of memory. The array of slots grows with
 * the symbols of the image. */
static struct pp_slot *slot_of(struct pp_part_codes *codes, uint32_t symbol)
{
	struct pp_slot *slots;
	size_t nr;

	if (symbol < codes->nr_slots)
		return &codes->slots[symbol];
	if (symbol == PP_NO_NAME)
		return &codes->special[PP_NO_NAME_SLOT];
	if (symbol == PP_UNCOVERED)
		return &codes->special[PP_UNCOVERED_SLOT];
	if (symbol == PP_RAW)
		return &codes->special[PP_RAW_SLOT];
	nr = pp_image_nr_symbols(codes->image);
	slots = reallocarray(codes->slots, nr, sizeof(*slots));
	if (!slots)
		return NULL;
	for (size_t i = codes->nr_slots; i < nr; i++)
		slots[i] = (struct pp_slot){ PP_NONE, PP_NONE, PP_NONE, false };
	codes->slots = slots;
	codes->nr_slots = nr;
	return &slots[symbol];
}

static int add_code(struct pp_part_codes *codes, struct pp_slot *slot, const struct pp_code *code)
{
	struct pp_part *part = codes->part;

	if (part->nr_codes >= MAX_CODES || op_grow(&part->codes, part->nr_codes))
		return -ENOMEM;
	part->codes[part->nr_codes] = *code;
	part->codes[part->nr_codes].build = codes->build;
	slot->code = part->nr_codes++;
	return 0;
}

/* Store in @slot whether options exclude the symbol's samples. Return true if the profile needs no
 * code (function) for the symbol: the symbol is excluded, and call paths are not read. */
static bool exclude_symbol(const struct pp_part_codes *codes, struct pp_slot *slot, bool wants)
{
	slot->unwanted = !wants;
	if (wants || codes->options->paths)
		return false;
	slot->code = PP_UNWANTED;
	return true;
}

/* If raw names are requested, set *@ret to the symbol's linker name, unless it equals @shown, the
 * name in reports. Otherwise set *@ret to NULL. Return 0 or -ENOMEM. */
static int part_raw_name(struct pp_part_codes *codes, const char *name, const char *shown,
			 const char **ret)
{
	const char *raw = NULL;

	if (codes->options->raw_names) {
		raw = pp_demangle(&codes->demangler, name, PP_DEMANGLE_NONE);
		if (!raw)
			return -ENOMEM;
	}
	/* The demangler returns the same pointer for equal names. */
	*ret = raw == shown ? NULL : raw;
	return 0;
}

/* Make the code of a symbol, unless options exclude the symbol. All groups (programs) share the
 * code, so this function is called once for each symbol. */
static int code_of_symbol(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
{
	struct pp_code code = { .kind = PP_CODE_SYMBOL };
	struct pp_symbol_info info;
	int wants;

	pp_image_symbol(codes->image, symbol, &info);
	wants = pp_filter_wants(codes->options, &codes->demangler, info.name);
	if (wants < 0)
		return wants;
	if (exclude_symbol(codes, slot, wants))
		return 0;
	code.vma = info.vma;
	code.size = info.size < UINT32_MAX ? info.size : UINT32_MAX;
	code.name = pp_demangle(&codes->demangler, info.name, codes->options->demangle);
	if (!code.name || part_raw_name(codes, info.name, code.name, &code.raw))
		return -ENOMEM;
	return add_code(codes, slot, &code);
}

/* Return whether symbols with equal names are summed. Addresses in different builds of a binary are
 * unrelated, and so are addresses of code that different processes made at run time. So a report
 * that does not show addresses identifies functions by name. */
static bool adds_up(const struct pp_part_codes *codes)
{
	return (codes->part->nr_builds > 1 || codes->part->name->kind == OP_IMAGE_ANON) &&
	       !codes->options->details && !codes->options->lines;
}

/* Search for a symbol with the same name in an earlier build or, for code made at run time, in the
 * same build. If it exists, samples of @symbol are counted for that symbol. */
static int find_same(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
{
	struct pp_symbol_info info;
	uint32_t same;

	pp_image_symbol(codes->image, symbol, &info);
	same = same_names_find(&codes->names, info.name);
	if (same != PP_NO_SAME_NAME && (same < pp_image_first_symbol(codes->image) ||
					codes->part->name->kind == OP_IMAGE_ANON))
		slot->same = same;
	return same_names_add(&codes->names, info.name, symbol);
}

/* Add the names of the first build's symbols to the table. Called when samples of a second build
 * appear. */
static int collect_names(struct pp_part_codes *codes)
{
	if (codes->names.nr)
		return 0;
	for (uint32_t i = 0; i < codes->nr_slots; i++) {
		struct pp_symbol_info info;

		if (codes->slots[i].code == PP_NONE)
			continue;
		pp_image_symbol(codes->image, i, &info);
		if (same_names_add(&codes->names, info.name, i))
			return -ENOMEM;
	}
	return 0;
}

/* Make the code (function in the profile) for samples without a symbol, unless options exclude
 * these samples. */
static int code_of_special(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
{
	struct pp_code code = {
		.kind = symbol == PP_NO_NAME   ? PP_CODE_IMAGE :
			symbol == PP_UNCOVERED ? PP_CODE_UNCOVERED :
						 PP_CODE_RAW,
		.name = symbol == PP_UNCOVERED ? "(no symbol)" : codes->part->groups->image,
	};
	int wants = pp_filter_wants(codes->options, &codes->demangler, code.name);

	if (wants < 0)
		return wants;
	return exclude_symbol(codes, slot, wants) ? 0 : add_code(codes, slot, &code);
}

int pp_part_code_of(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot **ret)
{
	struct pp_slot *slot = slot_of(codes, symbol);
	int err = 0;

	if (!slot)
		return -ENOMEM;
	if (symbol < PP_RAW && slot->code == PP_NONE && slot->same == PP_NONE && adds_up(codes) &&
	    find_same(codes, symbol, slot))
		return -ENOMEM;
	if (slot->same != PP_NONE)
		slot = &codes->slots[slot->same];
	if (slot->code == PP_NONE)
		err = symbol < PP_RAW ? code_of_symbol(codes, symbol, slot) :
					code_of_special(codes, symbol, slot);
	*ret = slot;
	return err;
}

int pp_part_codes_new_build(struct pp_part_codes *codes)
{
	return adds_up(codes) ? collect_names(codes) : 0;
}

/* Lookup of the places (functions) for frames of call paths. A function inlined into another one
 * has a place of its own. */

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

static size_t place_slot(const struct pp_part_places *p, const struct pp_place *place)
{
	uint64_t h =
		op_hash_number(op_hash_number(OP_HASH_BEGIN, (uintptr_t)place->name), place->code);

	h = op_hash_number(op_hash_number(h, (uintptr_t)place->file), place->line);
	return op_hash_number(h, place->vma) & (p->size - 1);
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
		for (at = place_slot(p, &places[old[i] - 1]); p->inlined[at];
		     at = (at + 1) & (p->size - 1))
			;
		p->inlined[at] = old[i];
	}
	free(old);
	return 0;
}

/* Find or add a place (function on call paths) equal to @place, and store its index. Name and file
 * of @place must be interned, because their pointers are compared. Return 0 or -ENOMEM. */
static int find_place(struct pp_part_places *p, const struct pp_place *place, uint32_t *ret)
{
	const struct pp_place *places = p->codes->part->paths.places;
	size_t at;
	int err = make_room(p);

	if (err)
		return err;
	for (at = place_slot(p, place); p->inlined[at]; at = (at + 1) & (p->size - 1)) {
		const struct pp_place *there = &places[p->inlined[at] - 1];

		if (there->name == place->name && there->code == place->code &&
		    there->file == place->file && there->line == place->line &&
		    there->has_vma == place->has_vma && there->vma == place->vma) {
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
	if (!place.name || part_raw_name(p->codes, function, place.name, &place.raw))
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

/* Replace *@place, the index of a function, by the index of the same function at the source line of
 * @at. Return 0 or -ENOMEM. */
static int add_line(struct pp_part_places *p, const struct pp_frame *at, uint32_t *place)
{
	struct pp_place with_line = p->codes->part->paths.places[*place];

	if (!at->file)
		return 0;
	with_line.file = pp_intern(&p->files, &p->codes->part->strings, at->file);
	with_line.line = at->line;
	return with_line.file ? find_place(p, &with_line, place) : -ENOMEM;
}

/* Store the functions of @frame: @place, the function at the frame, then the functions inlined at
 * the address of the frame. @inlined[0] is the innermost function. Return 0 or -ENOMEM. */
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
		/* The outermost element is the function itself, whose name is the name of its
		 * symbol. */
		if (!err && i)
			err = add_inlined(p, inlined[i - 1].function, &outer, &place);
	}
	if (!err && p->codes->options->call_lines)
		err = add_chain(p, place);
	return err;
}

/* Replace *@place, the index of a place in code without a symbol, by the index of the place at the
 * address of @frame. Adjacent frames at such places are not merged. Return 0 or -ENOMEM. */
static int add_address(struct pp_part_places *p, const struct pp_path_frame *frame, uint32_t *place)
{
	struct pp_place at = p->codes->part->paths.places[*place];

	at.nameless = false;
	at.has_vma = true;
	at.vma = frame->vma;
	return find_place(p, &at, place);
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
	if (!err && p->codes->options->addresses && p->codes->part->paths.places[place].nameless)
		err = add_address(p, frame, &place);
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
