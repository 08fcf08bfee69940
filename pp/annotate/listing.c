// SPDX-License-Identifier: GPL-2.0-or-later
/* listing.c -- disassembles a function, and attributes samples to its instructions. */
#include "config.h"
#include "pp/annotate/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"
#include "pp/image/demangle.h"
#include "pp/image/disasm.h"

/* maximum length of an instruction of any machine, in bytes */
#define MAX_INSN	16
#define WINDOW		(1u << 16)	/* bytes of code that are read from the image at once */
/* maximum size of a function that is listed as a whole, in bytes */
#define MAX_WHOLE	(1u << 20)
/* bytes of code to list after each sample in a function larger than MAX_WHOLE */
#define AROUND		4096

struct pp_lister {
	struct pp_lister_options options;
	struct pp_image *image;
	struct pp_disasm *disasm;
	uint8_t window[WINDOW];
	uint64_t window_vma;
	size_t window_size;
	struct pp_demangler demangler;
	struct pp_block *strings;	/* memory of the demangled names in the listing */
};

struct walk {
	struct pp_lister *lister;
	struct pp_listing *listing;
	struct pp_intern names;
	const struct pp_details *details;
	/* index of the next sampled address whose samples were not added to a listed instruction
	 * yet */
	size_t next;
	size_t nr_classes;
};

static const char *demangle(struct pp_lister *lister, const char *name)
{
	return lister->options.raw_names
		       ? name
		       : pp_demangle(&lister->demangler, name, PP_DEMANGLE_NORMAL);
}

static const char *name_at(void *arg, uint64_t vma, uint64_t *offset)
{
	struct pp_lister *lister = arg;
	uint32_t symbol = pp_image_lookup_vma(lister->image, vma);
	struct pp_symbol_info info;
	const char *data;

	if (symbol >= PP_RAW) {
		data = pp_image_data_at(lister->image, vma, offset);
		return data ? demangle(lister, data) : NULL;
	}
	pp_image_symbol(lister->image, symbol, &info);
	*offset = vma - info.vma;
	return demangle(lister, info.name);
}

static int create_disasm(struct pp_lister *lister, const struct pp_image_info *info)
{
	const struct pp_disasm_options options = {
		.machine = info->machine,
		.is64 = info->is64,
		.big_endian = info->big_endian,
		.words = lister->options.words,
		.name_at = name_at,
		.arg = lister,
	};

	if (pp_disasm_bad_word(info->machine, lister->options.words))
		return -EINVAL;
	return pp_disasm_create(&lister->disasm, &options);
}

int pp_lister_open(struct pp_lister **ret, struct pp_images *images,
		   const struct pp_binary *binary, const struct pp_lister_options *options,
		   struct pp_log *log, uint16_t *ret_machine)
{
	struct pp_lister *lister = calloc(1, sizeof(*lister));
	struct pp_image_info info;
	int err;

	if (!lister)
		return -ENOMEM;
	lister->options = *options;
	pp_demangler_init(&lister->demangler, &lister->strings);
	err = pp_image_open(&lister->image, images, binary->name, log);
	if (!err)
		err = pp_image_begin(lister->image, &binary->samples);
	if (err)
		goto err_close;
	pp_image_info(lister->image, 1, &info);
	err = info.has_elf ? create_disasm(lister, &info) : -ENOENT;
	if (ret_machine && (err == -ENOTSUP || err == -EINVAL))
		*ret_machine = info.machine;
	if (err)
		goto err_close;
	*ret = lister;
	return 0;

err_close:
	pp_lister_close(lister);
	return err;
}

void pp_lister_close(struct pp_lister *lister)
{
	if (!lister)
		return;
	pp_disasm_destroy(lister->disasm);
	pp_image_close(lister->image);
	pp_demangler_release(&lister->demangler);
	pp_block_free(lister->strings);
	free(lister);
}

struct pp_image *pp_lister_image(struct pp_lister *lister)
{
	return lister->image;
}

/* Set *@ret to the code at @vma, and return its length: at least MAX_INSN bytes, unless the code
 * ends earlier. */
static size_t code_at(struct pp_lister *lister, uint64_t vma, const uint8_t **ret)
{
	uint64_t start = lister->window_vma, size = lister->window_size;

	if (vma < start || vma - start >= size ||
	    (size - (vma - start) < MAX_INSN && size == WINDOW)) {
		lister->window_vma = start = vma;
		size = pp_image_code(lister->image, vma, lister->window, WINDOW);
		lister->window_size = size;
	}
	*ret = lister->window + (vma - start);
	return size - (vma - start);
}

static uint8_t *copy_bytes(struct walk *w, const uint8_t *bytes, size_t size)
{
	uint8_t *copy = (uint8_t *)pp_block_alloc(&w->listing->blocks, (size + 7) / 8);

	if (copy)
		memcpy(copy, bytes, size);
	return copy;
}

static int find_line(struct walk *w, struct pp_insn *insn)
{
	struct pp_frame frame;

	if (!pp_image_line(w->lister->image, insn->vma, &frame) || !frame.file)
		return 0;
	insn->file = pp_intern(&w->names, &w->listing->strings, frame.file);
	insn->line = frame.line;
	return insn->file ? 0 : -ENOMEM;
}

/* Add to @insn the counts of all remaining sampled addresses before the end of @insn. */
static int add_counts(struct walk *w, struct pp_insn *insn)
{
	const struct pp_details *details = w->details;
	uint64_t *sum = NULL;

	while (details && w->next < details->nr &&
	       details->items[w->next].vma < insn->vma + insn->size) {
		const uint64_t *counts = details->items[w->next++].counts;

		if (!insn->counts) {
			insn->counts = counts;
			continue;
		}
		/* This is the second sampled address in the instruction: allocate an array for the
		 * sum of both. */
		if (!sum) {
			sum = pp_block_alloc(&w->listing->blocks, w->nr_classes);
			if (!sum)
				return -ENOMEM;
			memcpy(sum, insn->counts, w->nr_classes * sizeof(*sum));
			insn->counts = sum;
		}
		for (size_t i = 0; i < w->nr_classes; i++)
			sum[i] += counts[i];
	}
	return 0;
}

/* Append the instruction at @vma, which must end at or before @end. Return the instruction's size
 * in bytes, 0 if the image has no code at @vma, or -ENOMEM. */
static int add_insn(struct walk *w, uint64_t vma, uint64_t end)
{
	struct pp_listing *listing = w->listing;
	struct pp_insn *insn;
	const uint8_t *code;
	const char *text;
	size_t size = code_at(w->lister, vma, &code);

	if (!size)
		return 0;
	if (size > end - vma)
		size = end - vma;
	if (op_grow(&listing->insns, listing->nr))
		return -ENOMEM;
	insn = &listing->insns[listing->nr];
	*insn = (struct pp_insn){ .vma = vma };
	insn->size = pp_disasm_insn(w->lister->disasm, code, size, vma, &text);
	insn->text = pp_strings_add(&listing->strings, text);
	if (!insn->text || add_counts(w, insn))
		return -ENOMEM;
	if (w->lister->options.bytes) {
		insn->bytes = copy_bytes(w, code, insn->size);
		if (!insn->bytes)
			return -ENOMEM;
	}
	if (w->lister->options.lines && find_line(w, insn))
		return -ENOMEM;
	listing->nr++;
	return insn->size;
}

static int walk_range(struct walk *w, uint64_t vma, uint64_t end)
{
	while (vma < end) {
		int size = add_insn(w, vma, end);

		if (size <= 0)
			return size;
		vma += size;
	}
	return 0;
}

/* List only the sampled instructions, because the bounds of the function are unknown. */
static int walk_samples(struct walk *w)
{
	while (w->details && w->next < w->details->nr) {
		uint64_t vma = w->details->items[w->next].vma;
		uint64_t end = vma + MAX_INSN;
		int size;

		if (w->next + 1 < w->details->nr && w->details->items[w->next + 1].vma < end)
			end = w->details->items[w->next + 1].vma;
		size = add_insn(w, vma, end);
		if (size <= 0)
			return size;
	}
	return 0;
}

/* List only the code near samples, because the function is very large. Begin at a sampled address,
 * which is the start of an instruction. */
static int walk_near_samples(struct walk *w, uint64_t end)
{
	const struct pp_details *details = w->details;
	uint64_t vma = 0;
	int err = 0;

	for (size_t i = 0, j; i < details->nr && !err; i = j) {
		uint64_t stop;

		if (vma < details->items[i].vma)
			vma = details->items[i].vma;
		for (j = i + 1; j < details->nr; j++)
			if (details->items[j].vma - details->items[j - 1].vma > AROUND)
				break;
		stop = details->items[j - 1].vma;
		stop = end - stop > AROUND ? stop + AROUND : end;
		if (j < details->nr && stop > details->items[j].vma)
			stop = details->items[j].vma;
		err = walk_range(w, vma, stop);
		vma = stop;
	}
	return err;
}

/* The code at the remaining sampled addresses cannot be read: append a line "(no code)" for each of
 * these addresses. */
static int add_rest(struct walk *w)
{
	struct pp_listing *listing = w->listing;

	while (w->details && w->next < w->details->nr) {
		struct pp_insn *insn;

		if (op_grow(&listing->insns, listing->nr))
			return -ENOMEM;
		insn = &listing->insns[listing->nr++];
		*insn = (struct pp_insn){
			.vma = w->details->items[w->next].vma,
			.text = "(no code)",
			.size = 1,
		};
		if (add_counts(w, insn))
			return -ENOMEM;
	}
	return 0;
}

static size_t bytes_listed(const struct pp_listing *listing)
{
	size_t sum = 0;

	for (size_t i = 0; i < listing->nr; i++)
		sum += listing->insns[i].size;
	return sum;
}

int pp_listing_make(struct pp_listing *ret, struct pp_lister *lister, const struct pp_code *code,
		    const struct pp_details *details, size_t nr_classes)
{
	struct pp_listing listing = { 0 };
	struct walk w = {
		.lister = lister,
		.listing = &listing,
		.details = details,
		.nr_classes = nr_classes,
	};
	uint64_t end = code->vma + code->size;
	int err;

	if (code->kind != PP_CODE_SYMBOL || !code->size)
		err = walk_samples(&w);
	else if (code->size <= MAX_WHOLE || !details)
		err = walk_range(&w, code->vma, end);
	else
		err = walk_near_samples(&w, end);
	if (!err && !listing.nr)
		err = -ENOENT;
	if (!err)
		err = add_rest(&w);
	pp_intern_release(&w.names);
	if (err) {
		pp_listing_release(&listing);
		return err;
	}
	if (code->kind == PP_CODE_SYMBOL && code->size > MAX_WHOLE && details)
		listing.skipped = code->size - bytes_listed(&listing);
	*ret = listing;
	return 0;
}

void pp_listing_release(struct pp_listing *listing)
{
	free(listing->insns);
	pp_block_free(listing->blocks);
	pp_block_free(listing->strings);
	*listing = (struct pp_listing){ 0 };
}
