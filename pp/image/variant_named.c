// SPDX-License-Identifier: GPL-2.0-or-later
/* variant_named.c -- builds of images whose functions another host has named (names.h). */
#include "config.h"
#include "pp/image/variant.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/session/mangle.h"
#include "pp/source/names.h"

struct named_variant {
	struct pp_variant v;
	struct pp_symtab symtab;
	const struct pp_named_image *image;
};

static const struct named_variant *named_of(const struct pp_variant *v)
{
	return (const struct named_variant *)v;
}

static void destroy(struct pp_variant *v)
{
	pp_symtab_release(&((struct named_variant *)v)->symtab);
	free(v);
}

static int to_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	(void)v;
	*vma = key;
	return 0;
}

static void describe(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	const struct pp_named_image *image = named_of(v)->image;
	const char *id = *image->build_id ? image->build_id : NULL;

	(void)with_debug;
	info->is_named = true;
	if (image->was_missing && !v->symtab) {
		info->state = PP_IMAGE_MISSING;
		info->missing_id = id;
		return;
	}
	info->symbols = v->symtab ? "the database" : NULL;
	info->build_id = id;
}

static const struct pp_variant_ops named_ops = {
	.is_named = true,
	.destroy = destroy,
	.to_vma = to_vma,
	.describe = describe,
};

/* If the host did not have the binary, reports print an address as an offset in the file. */
static const struct pp_variant_ops missing_ops = {
	.destroy = destroy,
	.describe = describe,
};

/* Make the table of the symbols of @v. A function has only one key, so its size is one byte. */
static int make_symbols(struct named_variant *v)
{
	const struct pp_named_image *image = v->image;
	struct pp_symbol *symbols = calloc(image->nr + 1, sizeof(*symbols));
	int err = symbols ? 0 : -ENOMEM;

	for (size_t i = 0; i < image->nr && !err; i++)
		symbols[i] = (struct pp_symbol){
			.start = image->symbols[i].key, .end = image->symbols[i].key + 1,
			.limit = UINT64_MAX, .name = image->symbols[i].name,
		};
	if (!err)
		err = pp_symtab_make_sorted(&v->symtab, symbols, image->nr);
	if (err)
		free(symbols);
	else
		v->v.symtab = &v->symtab;
	return err;
}

int pp_variant_named(struct pp_variant **ret, struct pp_variants *variants,
		     const struct pp_image_samples *samples)
{
	const struct pp_named_image *image = pp_names_find(
		variants->images->options.names, variants->name->path, samples->identity.build);
	struct named_variant *v;
	int err = 0;

	if (!image)
		return pp_variant_unknown(ret, variants);
	for (size_t i = 0; i < variants->nr; i++)
		if (variants->items[i]->ops->destroy == destroy &&
		    named_of(variants->items[i])->image == image) {
			*ret = variants->items[i];
			return 0;
		}
	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	v->image = image;
	v->v.ops = image->nr || !image->was_missing ? &named_ops : &missing_ops;
	if (image->nr)
		err = make_symbols(v);
	if (err) {
		free(v);
		return err;
	}
	err = pp_variants_add(variants, &v->v);
	if (!err)
		*ret = &v->v;
	return err;
}
