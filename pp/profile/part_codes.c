// SPDX-License-Identifier: GPL-2.0-or-later
/* part_codes.c -- codes of the symbols of one binary. */
#include "config.h"
#include "pp/profile/part_codes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/image/demangle.h"
#include "pp/profile/profile.h"

/* A terminal shows shorter names than a pipe, and users copy names from both, so all forms of a
 * name match. */
enum { RAW, FULL, SMART, NR_FORMS };

static bool matches_a_form(const char *glob, const char *const *forms)
{
	for (int i = 0; i < NR_FORMS; i++)
		if (pp_value_matches(glob, forms[i]))
			return true;
	return false;
}

/* Compare with all globs, even after a match: @met shows which globs match nothing. */
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

/* Return 1 if the report wants the symbol, else 0 or -ENOMEM. @raw: the name in the binary, or a
 * name for code without one; its other forms match, too. */
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
	pp_same_names_release(&codes->names);
	free(codes->slots);
}

void pp_part_codes_new_group(struct pp_part_codes *codes)
{
	for (size_t s = 0; s < codes->nr_slots; s++)
		codes->slots[s].entry = PP_NONE;
	for (size_t s = 0; s < PP_NR_SPECIAL_SLOTS; s++)
		codes->special[s].entry = PP_NONE;
}

/* Return the slot of a symbol, or NULL if out of memory. The table grows with the image's
 * symbols. */
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

/* Return whether only addresses of the image are known. */
static bool leave_out(const struct pp_part_codes *codes, struct pp_slot *slot, int wants)
{
	slot->unwanted = !wants;
	if (wants || codes->options->paths)
		return false;
	slot->code = PP_UNWANTED;
	return true;
}

int pp_part_raw_name(struct pp_part_codes *codes, const char *name, const char *shown,
		     const char **ret)
{
	const char *raw = NULL;

	if (codes->options->raw_names) {
		raw = pp_demangle(&codes->demangler, name, PP_DEMANGLE_NONE);
		if (!raw)
			return -ENOMEM;
	}
	/* Equal names have one pointer. */
	*ret = raw == shown ? NULL : raw;
	return 0;
}

/* Name a symbol and decide whether it is wanted, once for all groups. */
static int look_at_symbol(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
{
	struct pp_code code = { .kind = PP_CODE_SYMBOL };
	struct pp_symbol_info info;
	int wants;

	pp_image_symbol(codes->image, symbol, &info);
	wants = pp_filter_wants(codes->options, &codes->demangler, info.name);
	if (wants < 0)
		return wants;
	if (leave_out(codes, slot, wants))
		return 0;
	code.vma = info.vma;
	code.size = info.size < UINT32_MAX ? info.size : UINT32_MAX;
	code.name = pp_demangle(&codes->demangler, info.name, codes->options->demangle);
	if (!code.name || pp_part_raw_name(codes, info.name, code.name, &code.raw))
		return -ENOMEM;
	return add_code(codes, slot, &code);
}

/* Addresses of two builds or processes are unrelated, so sum by name. */
static bool adds_up(const struct pp_part_codes *codes)
{
	return (codes->part->nr_builds > 1 || codes->part->name->kind == OP_IMAGE_ANON) &&
	       !codes->options->details && !codes->options->lines;
}

/* Count a symbol of a later build for the symbol of that name in an earlier build. Code that is
 * made at run time may also be made several times under one name. */
static int find_same(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
{
	struct pp_symbol_info info;
	uint32_t same;

	pp_image_symbol(codes->image, symbol, &info);
	same = pp_same_names_find(&codes->names, info.name);
	if (same != PP_NO_SAME_NAME && (same < pp_image_first_symbol(codes->image) ||
					codes->part->name->kind == OP_IMAGE_ANON))
		slot->same = same;
	return pp_same_names_add(&codes->names, info.name, symbol);
}

/* Index the names of the first build, when there is a second. */
static int collect_names(struct pp_part_codes *codes)
{
	if (codes->names.nr)
		return 0;
	for (uint32_t i = 0; i < codes->nr_slots; i++) {
		struct pp_symbol_info info;

		if (codes->slots[i].code == PP_NONE)
			continue;
		pp_image_symbol(codes->image, i, &info);
		if (pp_same_names_add(&codes->names, info.name, i))
			return -ENOMEM;
	}
	return 0;
}

/* Return the code for samples without a symbol. */
static int look_at_special(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot *slot)
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
	return leave_out(codes, slot, wants) ? 0 : add_code(codes, slot, &code);
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
		err = symbol < PP_RAW ? look_at_symbol(codes, symbol, slot) :
					look_at_special(codes, symbol, slot);
	*ret = slot;
	return err;
}

int pp_part_codes_new_build(struct pp_part_codes *codes)
{
	return adds_up(codes) ? collect_names(codes) : 0;
}
