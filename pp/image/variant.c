// SPDX-License-Identifier: GPL-2.0-or-later
/* variant.c -- numbers the symbols of an image's variants; and the variant of unknown memory. */
#include "config.h"
#include "pp/image/variant.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"

uint32_t pp_variant_nr_symbols(const struct pp_variant *v)
{
	return (v->symtab ? v->symtab->nr : 0) + (v->stubs ? v->stubs->nr : 0);
}

const struct pp_symbol *pp_variant_symbol(const struct pp_variant *v, uint32_t number)
{
	uint32_t nr = v->symtab ? v->symtab->nr : 0;

	return number < nr ? &v->symtab->symbols[number] : &v->stubs->symbols[number - nr];
}

int pp_variants_add(struct pp_variants *variants, struct pp_variant *v)
{
	struct pp_variant *last = variants->nr ? variants->items[variants->nr - 1] : NULL;

	/* Make the previous variant read all its symbols now: the symbol numbers of the new variant
	 * begin after the last number of the previous variant. */
	if ((last && last->ops->read_all && last->ops->read_all(last)) ||
	    op_grow(&variants->items, variants->nr)) {
		v->ops->destroy(v);
		return -ENOMEM;
	}
	v->among = variants;
	v->first_symbol = last ? last->first_symbol + pp_variant_nr_symbols(last) : 0;
	variants->items[variants->nr++] = v;
	return 0;
}

void pp_variants_release(struct pp_variants *variants)
{
	for (size_t i = 0; i < variants->nr; i++)
		variants->items[i]->ops->destroy(variants->items[i]);
	free(variants->items);
}

struct pp_variant *pp_variants_find_process(const struct pp_variants *variants, pid_t tgid,
					    unsigned int program, size_t session)
{
	for (size_t i = 0; i < variants->nr; i++)
		if (variants->items[i]->tgid == tgid && variants->items[i]->program == program &&
		    variants->items[i]->session == session)
			return variants->items[i];
	return NULL;
}

int pp_variant_process_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	*vma = v->anon_start + key;
	return 0;
}

unsigned int pp_variant_frames(const struct pp_variant *v, struct pp_lines *lines, uint64_t vma,
			       uint64_t bias, struct pp_frame *frames, unsigned int max)
{
	unsigned int nr = lines ? pp_lines_frames(lines, vma + bias, frames, max) : 0;

	/* Debug data does not name the parts that a compiler splits off a function: it calls
	 * main.cold main. So use the symbol's name instead. */
	if (nr && nr < max && v->symtab && pp_symtab_lookup(v->symtab, vma) != PP_NO_SYMBOL)
		frames[nr - 1].function = NULL;
	return nr;
}

static void destroy_unknown(struct pp_variant *v)
{
	free(v);
}

static const struct pp_variant_ops unknown_ops = {
	.destroy = destroy_unknown,
	.to_vma = pp_variant_process_vma,
};

int pp_variant_unknown(struct pp_variant **ret, struct pp_variants *variants)
{
	struct pp_variant *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	v->ops = &unknown_ops;
	err = pp_variants_add(variants, v);
	if (!err)
		*ret = v;
	return err;
}
