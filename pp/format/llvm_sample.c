// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * llvm_sample.c -- LLVM's text format of sample profiles, for clang -fprofile-sample-use and rustc
 * -Zprofile-sample-use: counts of the lines of each function, and of the calls inlined into it.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/block_counts.h"
#include "pp/format/inline_tree.h"
#include "pp/format/one_binary.h"
#include "pp/image/image.h"

/* Suffixes of symbols for code that LLVM split from a function or cloned. The profile contains the
 * function's name without the suffix. */
static const char *const made_ends[] = { ".llvm.", ".part.", ".cold", ".isra.", ".constprop." };

struct writer {
	struct pp_one_binary one;
	struct pp_block_reader reader;
	struct pp_inline_tree tree;
	FILE *out;
	/* number of samples with a known source line, and without a known source line */
	uint64_t with_lines, without_lines;
};

/* A discriminator of LLVM contains three packed numbers. Return the first one, which distinguishes
 * the blocks of a line. Set *@copies to the second one, the factor by which loop unrolling or
 * vectorisation multiplied the code. A packed number takes one bit (1) if it is 0, 7 bits if it is
 * below 32, else 14 bits; the lowest bit of the longer forms is 0. */
static uint32_t unpack_number(uint32_t *packed)
{
	uint32_t word = *packed >> 1, number;

	if (*packed & 1) {
		*packed >>= 1;
		return 0;
	}
	number = word & 0x1f;
	if (word & 0x20)
		number |= (word >> 1) & 0xfe0;
	*packed >>= word & 0x20 ? 14 : 7;
	return number;
}

static uint32_t unpack(uint32_t discriminator, uint32_t *copies)
{
	uint32_t base = unpack_number(&discriminator);

	*copies = unpack_number(&discriminator);
	if (!*copies)
		*copies = 1;
	return base;
}

static struct pp_spot spot_of(const struct pp_frame *frame, uint32_t *copies)
{
	return (struct pp_spot){
		.offset = (frame->line - frame->start_line) & 0xffff,
		.discriminator = unpack(frame->discriminator, copies),
	};
}

/* Copy a symbol's name without the suffix that LLVM added. */
static void plain_name(char *buf, size_t size, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(made_ends) / sizeof(made_ends[0]); i++) {
		const char *end = strstr(name + (*name != '\0'), made_ends[i]);

		if (end && (size_t)(end - name) < len)
			len = end - name;
	}
	snprintf(buf, size, "%.*s", (int)len, name);
}

/* Return the node for the innermost of @frames, or NULL if out of memory. */
static struct pp_inline_node *node_of(struct pp_inline_tree *tree, const char *function,
				      const struct pp_frame *frames, unsigned int nr)
{
	struct pp_inline_node *node =
		pp_inline_node(tree, &tree->root, (struct pp_spot){ 0, 0 }, function);

	for (unsigned int i = nr; node && i-- > 1;) {
		uint32_t copies;
		const char *name = frames[i - 1].function;

		node = pp_inline_node(tree, node, spot_of(&frames[i], &copies),
				      name ? name : "");
	}
	return node;
}

static int add_insn(struct writer *w, const char *function, uint64_t vma, uint64_t count)
{
	struct pp_frame frames[PP_MAX_FRAMES];
	unsigned int nr = pp_image_frames(w->one.image, vma, frames, PP_MAX_FRAMES);
	struct pp_inline_node *node;
	struct pp_spot spot;
	uint32_t copies;

	/* The compiler uses line 0 for code that it added and that no source line contains. */
	if (!nr || !frames[0].line || !frames[nr - 1].start_line)
		return 0;
	node = node_of(&w->tree, function, frames, nr);
	if (!node)
		return -ENOMEM;
	spot = spot_of(&frames[0], &copies);
	return pp_inline_line(node, spot, count * copies);
}

static bool has_lines(struct writer *w, uint64_t vma)
{
	struct pp_frame frames[PP_MAX_FRAMES];
	unsigned int nr = pp_image_frames(w->one.image, vma, frames, PP_MAX_FRAMES);

	return nr && frames[nr - 1].start_line;
}

static int add_function(struct writer *w, const struct pp_sampled *function)
{
	const struct pp_code *code = function->code;
	struct pp_block_counts counts;
	char name[OP_CLEAN_MAX];
	int err;

	if (!has_lines(w, w->one.addresses[function->first].vma)) {
		w->without_lines += function->sum;
		return 0;
	}
	w->with_lines += function->sum;
	plain_name(name, sizeof(name), code->raw ? code->raw : code->name);
	err = pp_block_counts_make(&counts, &w->reader, &w->one, function);
	if (err)
		return err;
	for (size_t i = 0; i < counts.insns.nr && !err; i++)
		err = add_insn(w, name, counts.insns.items[i].vma, counts.counts[i]);
	if (!err && counts.insns.nr) {
		struct pp_inline_node *node = pp_inline_node(&w->tree, &w->tree.root,
							     (struct pp_spot){ 0, 0 }, name);

		if (!node)
			err = -ENOMEM;
		else if (strstr(code->raw ? code->raw : code->name, ".cold") == NULL)
			node->head += counts.counts[0];
	}
	pp_block_counts_release(&counts);
	return err;
}

static void put_spot(FILE *out, int depth, struct pp_spot spot)
{
	fprintf(out, "%*s%" PRIu32, depth, "", spot.offset);
	if (spot.discriminator)
		fprintf(out, ".%" PRIu32, spot.discriminator);
	fputs(": ", out);
}

static void put_node(FILE *out, const struct pp_inline_node *node, int depth)
{
	for (size_t i = 0; i < node->nr_lines; i++) {
		put_spot(out, depth, node->lines[i].spot);
		fprintf(out, "%" PRIu64 "\n", node->lines[i].count);
	}
	for (size_t i = 0; i < node->nr_calls; i++) {
		const struct pp_inline_node *call = node->calls[i];
		char buf[OP_CLEAN_MAX];

		if (!call->total)
			continue;
		put_spot(out, depth, call->call);
		fprintf(out, "%s:%" PRIu64 "\n", op_clean(buf, sizeof(buf), call->name),
			call->total);
		put_node(out, call, depth + 1);
	}
}

static void put_functions(const struct writer *w)
{
	for (size_t i = 0; i < w->tree.root.nr_calls; i++) {
		const struct pp_inline_node *node = w->tree.root.calls[i];
		char buf[OP_CLEAN_MAX];

		if (!node->total)
			continue;
		fprintf(w->out, "%s:%" PRIu64 ":%" PRIu64 "\n",
			op_clean(buf, sizeof(buf), node->name), node->total, node->head);
		put_node(w->out, node, 1);
	}
}

static int check_lines(const struct writer *w, struct pp_log *log)
{
	const char *title = w->one.binary->title;

	if (!w->with_lines)
		return op_fail(&log->error, -EINVAL,
			       "%s: has no source lines of the sampled functions; build it with "
			       "-g1 -fdebug-info-for-profiling (or -g), or install its debug file",
			       title);
	if (w->without_lines)
		pp_warn(log, "%s: %" PRIu64 " of %" PRIu64 " samples are in functions without "
			"source lines, and left out", title, w->without_lines, w->one.sum);
	return 0;
}

static int write_llvm_sample(const struct pp_report *report)
{
	struct writer w = { .out = report->out };
	int err = pp_one_binary_open(&w.one, report, "clang");

	if (!err)
		err = pp_block_reader_open(&w.reader, &w.one, report->log);
	for (size_t i = 0; i < w.one.nr_functions && !err; i++)
		err = add_function(&w, &w.one.functions[i]);
	if (!err)
		err = check_lines(&w, report->log);
	if (!err) {
		pp_inline_tree_finish(&w.tree);
		put_functions(&w);
	}
	pp_block_reader_close(&w.reader);
	pp_inline_tree_release(&w.tree);
	pp_one_binary_release(&w.one);
	return err;
}

const struct pp_format_ops pp_format_llvm_sample = {
	.name = "llvm-sample",
	.what = "profile of one binary, for clang -fprofile-sample-use",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS | PP_NEED_RAW_NAMES,
	.flags = PP_FORMAT_ONE_CLASS,
	.write = write_llvm_sample,
};
