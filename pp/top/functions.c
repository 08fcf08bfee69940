// SPDX-License-Identifier: GPL-2.0-or-later
/* functions.c -- the functions in all binaries of a live profile. */
#include "config.h"
#include "pp/top/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/profile/part.h"
#include "pp/profile/part_codes.h"

struct pp_top_binary {
	const char *title;
	struct op_image_name name;
	/* group (a program's samples in a binary) that represents the binary in .part */
	struct pp_group group;
	struct pp_part part;
	struct pp_part_codes codes;
	bool opened;
	/* properties of the samples for which lookups of symbols are prepared */
	const struct pp_image_samples *current;
	/* for each code (function) of .part: its number in .functions, plus 1; 0: no number yet */
	uint32_t *function_of;
	size_t nr_function_of;
};

static void discard(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

void pp_top_functions_init(struct pp_top_functions *f, struct pp_images *images,
			   enum pp_demangle demangle)
{
	*f = (struct pp_top_functions){
		.images = images,
		.options = { .symbols = true, .demangle = demangle },
		.log = { .write = discard },
	};
}

static void destroy(struct pp_top_binary *b)
{
	pp_image_close(b->codes.image);
	pp_part_codes_release(&b->codes);
	pp_part_release(&b->part);
	free(b->function_of);
	free(b);
}

void pp_top_functions_release(struct pp_top_functions *f)
{
	for (size_t i = 0; i < f->nr_binaries; i++)
		destroy(f->binaries[i]);
	free(f->binaries);
	free(f->items);
	pp_intern_release(&f->intern);
	pp_block_free(f->strings);
	*f = (struct pp_top_functions){ 0 };
}

const char *pp_top_string(struct pp_top_functions *f, const char *text)
{
	return pp_intern(&f->intern, &f->strings, text);
}

int pp_top_binary(struct pp_top_functions *f, const char *title, const struct op_image_name *name,
		  uint32_t *ret)
{
	struct pp_top_binary *b;

	title = pp_top_string(f, title);
	if (!title)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr_binaries; i++)
		if (f->binaries[i]->title == title) {
			*ret = i;
			return 0;
		}
	b = calloc(1, sizeof(*b));
	if (!b || op_grow(&f->binaries, f->nr_binaries))
		goto free_binary;
	b->title = title;
	b->name = *name;
	b->name.path = (char *)pp_top_string(f, name->path);
	if (!b->name.path)
		goto free_binary;
	b->group = (struct pp_group){ .image = title, .app = title };
	b->part = (struct pp_part){ .name = &b->name, .groups = &b->group };
	pp_part_codes_init(&b->codes, &b->part, &f->options);
	*ret = f->nr_binaries;
	f->binaries[f->nr_binaries++] = b;
	return 0;

free_binary:
	free(b);
	return -ENOMEM;
}

static int add(struct pp_top_functions *f, const struct pp_top_function *function, uint32_t *ret)
{
	if (f->nr == UINT32_MAX - 1 || op_grow(&f->items, f->nr))
		return -ENOMEM;
	f->items[f->nr] = *function;
	*ret = f->nr++;
	return 0;
}

int pp_top_reason(struct pp_top_functions *f, const char *text, uint32_t *ret)
{
	const char *name = pp_top_string(f, text);

	if (!name)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++)
		if (f->items[i].name == name && !f->items[i].image) {
			*ret = i;
			return 0;
		}
	return add(f, &(struct pp_top_function){ .name = name, .path_name = name }, ret);
}

/* Prepare lookups of symbols in the build of the binary that @samples identifies. */
static int begin(struct pp_top_functions *f, struct pp_top_binary *b,
		 const struct pp_image_samples *samples)
{
	int err = 0;

	if (!b->opened) {
		err = pp_image_open(&b->codes.image, f->images, &b->name, &f->log);
		b->opened = !err;
	}
	if (err || b->current == samples)
		return err;
	err = pp_image_begin(b->codes.image, samples);
	if (err)
		return err;
	b->codes.build = pp_image_build(b->codes.image);
	if (b->codes.build == b->part.nr_builds) {
		if (op_grow(&b->part.builds, b->part.nr_builds))
			return -ENOMEM;
		b->part.builds[b->part.nr_builds++] = *samples;
		err = pp_part_codes_new_build(&b->codes);
	}
	b->current = err ? NULL : samples;
	return err;
}

void pp_top_functions_forget(struct pp_top_functions *f)
{
	for (size_t i = 0; i < f->nr_binaries; i++)
		f->binaries[i]->current = NULL;
}

/* Return the name under which @code appears on call paths, or NULL if out of memory. */
static const char *path_name(struct pp_top_functions *f, const struct pp_top_binary *b,
			     const struct pp_code *code)
{
	const char *base = strrchr(b->title, '/');
	const char *ret;
	char *text;

	if (code->kind == PP_CODE_SYMBOL)
		return code->name;
	if (asprintf(&text, "[%s%s]", base && base[1] ? base + 1 : b->title,
		     code->kind == PP_CODE_UNCOVERED ? ": no symbol" : "") < 0)
		return NULL;
	ret = pp_top_string(f, text);
	free(text);
	return ret;
}

int pp_top_function(struct pp_top_functions *f, uint32_t binary,
		    const struct pp_image_samples *samples, uint64_t key, uint32_t *ret)
{
	struct pp_top_binary *b = f->binaries[binary];
	struct pp_slot *slot;
	const struct pp_code *code;
	const char *in_paths;
	int err = begin(f, b, samples);

	if (!err)
		err = pp_part_code_of(&b->codes, pp_image_lookup(b->codes.image, key), &slot);
	while (!err && b->nr_function_of <= slot->code) {
		err = op_grow(&b->function_of, b->nr_function_of);
		if (!err)
			b->function_of[b->nr_function_of++] = 0;
	}
	if (err)
		return err;
	if (b->function_of[slot->code]) {
		*ret = b->function_of[slot->code] - 1;
		return 0;
	}
	code = &b->part.codes[slot->code];
	in_paths = path_name(f, b, code);
	if (!in_paths)
		return -ENOMEM;
	err = add(f, &(struct pp_top_function){
		.name = code->name,
		.path_name = in_paths,
		.image = b->title,
		.is_kernel = samples->is_kernel || b->name.kind == OP_IMAGE_KERN,
		.is_nameless = code->kind != PP_CODE_SYMBOL,
	}, ret);
	if (!err)
		b->function_of[slot->code] = *ret + 1;
	return err;
}
