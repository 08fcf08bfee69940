// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c -- images: calls the functions for the build, kernel or process of the current
 * samples. */
#include "config.h"
#include "pp/image/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/variant.h"

struct pp_image {
	struct pp_variants variants;
	/* variant (build, kernel or process) of the current samples; NULL before the first
	 * samples */
	struct pp_variant *now;
};

int pp_image_open(struct pp_image **ret, struct pp_images *images, const struct op_image_name *name,
		  struct pp_log *log)
{
	struct pp_image *image = calloc(1, sizeof(*image));

	if (!image)
		return -ENOMEM;
	image->variants = (struct pp_variants){ .images = images, .name = name, .log = log };
	*ret = image;
	return 0;
}

void pp_image_close(struct pp_image *image)
{
	if (!image)
		return;
	pp_variants_release(&image->variants);
	free(image);
}

/* Choose the variant (build, kernel or process) of the image that @samples belong to. The other
 * functions in this file need not know which kind of variant it is. */
static int choose(struct pp_image *image, const struct pp_image_samples *samples)
{
	struct pp_variants *variants = &image->variants;

	if (variants->images->options.names)
		return pp_variant_named(&image->now, variants, samples);
	switch (variants->name->kind) {
	case OP_IMAGE_ROOT:
		return pp_variant_file(&image->now, variants, samples);
	case OP_IMAGE_KERN:
		return pp_variant_kernel(&image->now, variants, samples->path);
	case OP_IMAGE_ANON:
		break;
	}
	if (!strcmp(variants->name->path, "[vdso]"))
		return pp_variant_vdso(&image->now, variants, samples);
	if (!strcmp(variants->name->path, "[stack]") && image->now)
		return 0;
	if (!strcmp(variants->name->path, "[stack]"))
		return pp_variant_unknown(&image->now, variants);
	return pp_variant_process(&image->now, variants, samples);
}

int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples)
{
	if (choose(image, samples))
		return -ENOMEM;
	image->now->anon_start = samples->anon_start;
	return 0;
}

/* Return the current variant. Before the first samples, choose the build that exists on this
 * machine. Return NULL if out of memory. */
static struct pp_variant *now_of(struct pp_image *image)
{
	static const struct pp_image_samples any;

	if (!image->now && choose(image, &any))
		pp_error(image->variants.log, "out of memory");
	return image->now;
}

uint32_t pp_image_build(const struct pp_image *image)
{
	const struct pp_variants *variants = &image->variants;
	uint32_t i = 0;

	while (i < variants->nr && variants->items[i] != image->now)
		i++;
	return i < variants->nr ? i : 0;
}

uint32_t pp_image_first_symbol(const struct pp_image *image)
{
	return image->now ? image->now->first_symbol : 0;
}

uint64_t pp_image_vma(const struct pp_image *image, uint64_t key)
{
	const struct pp_variant *v = image->now;
	uint64_t vma;

	return v && v->ops->to_vma && !v->ops->to_vma(v, key, &vma) ? vma : key;
}

static uint32_t lookup(struct pp_variant *v, uint64_t vma)
{
	uint32_t symbol = PP_NO_SYMBOL;

	if (v->ops->lookup)
		symbol = v->ops->lookup(v, vma);
	else if (v->symtab)
		symbol = pp_symtab_lookup(v->symtab, vma);
	if (symbol != PP_NO_SYMBOL)
		return v->first_symbol + symbol;
	return v->symtab ? PP_UNCOVERED : PP_NO_NAME;
}

uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma)
{
	struct pp_variant *v = now_of(image);

	return v ? lookup(v, vma) : PP_NO_NAME;
}

uint32_t pp_image_lookup(struct pp_image *image, uint64_t key)
{
	struct pp_variant *v = now_of(image);
	uint64_t vma;

	if (!v || !v->ops->to_vma)
		return PP_RAW;
	if (v->ops->to_vma(v, key, &vma))
		return v->symtab ? PP_UNCOVERED : PP_NO_NAME;
	return lookup(v, vma);
}

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret)
{
	const struct pp_variants *variants = &image->variants;
	const struct pp_symbol *s;
	size_t i = variants->nr - 1;

	while (symbol < variants->items[i]->first_symbol)
		i--;
	s = pp_variant_symbol(variants->items[i], symbol - variants->items[i]->first_symbol);
	ret->name = s->name;
	ret->is_named = variants->items[i]->ops->is_named;
	ret->vma = ret->is_named ? 0 : s->start;
	ret->size = ret->is_named ? 0 : s->end - s->start;
	ret->is_local = s->bind == PP_BIND_LOCAL;
}

uint32_t pp_image_nr_symbols(const struct pp_image *image)
{
	const struct pp_variants *variants = &image->variants;
	const struct pp_variant *last = variants->nr ? variants->items[variants->nr - 1] : NULL;

	return last ? last->first_symbol + pp_variant_nr_symbols(last) : 0;
}

const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset)
{
	struct pp_variant *v = now_of(image);

	return v && v->ops->data_at ? v->ops->data_at(v, vma, offset) : NULL;
}

void pp_image_info(struct pp_image *image, bool with_debug, struct pp_image_info *ret)
{
	struct pp_variant *v = now_of(image);

	*ret = (struct pp_image_info){
		.state = v && v->symtab ? PP_IMAGE_OK : PP_IMAGE_NO_SYMBOLS,
		.owner = PP_NO_OWNER,
	};
	if (v && v->ops->describe)
		v->ops->describe(v, with_debug, ret);
}

void pp_image_each_split(struct pp_image *image, void (*fn)(void *arg, int fd, const char *path),
			 void *arg)
{
	struct pp_variant *v = now_of(image);

	if (v && v->ops->each_split)
		v->ops->each_split(v, fn, arg);
}

bool pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_variant *v = now_of(image);

	return v && v->ops->line && v->ops->line(v, vma, false, ret);
}

bool pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_variant *v = now_of(image);

	return v && v->ops->line && v->ops->line(v, vma, true, ret);
}

unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max)
{
	struct pp_variant *v = now_of(image);

	return v && v->ops->frames ? v->ops->frames(v, vma, frames, max) : 0;
}

size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size)
{
	struct pp_variant *v = now_of(image);

	return v && v->ops->code ? v->ops->code(v, vma, buf, size) : 0;
}
