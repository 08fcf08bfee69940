// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bolt.c -- profiles for llvm-bolt, which optimizes linked programs: samples without branch
 * records, by function and offset, or by address for perf2bolt.
 */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/one_binary.h"
#include "pp/image/image.h"

/* A symbol with local binding, and its address. */
struct local {
	const char *name;
	uint64_t vma;
};

struct locals {
	struct local *items;	/* local symbols, sorted by name, then address */
	size_t nr;
};

static int compare_locals(const void *a, const void *b)
{
	const struct local *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Collect the local symbols of the image's current build. Return 0 or -ENOMEM. */
static int find_locals(struct locals *locals, const struct pp_image *image)
{
	uint32_t first = pp_image_first_symbol(image), nr = pp_image_nr_symbols(image);

	locals->items = calloc(nr + 1, sizeof(*locals->items));
	if (!locals->items)
		return -ENOMEM;
	for (uint32_t i = first; i < nr; i++) {
		struct pp_symbol_info info;

		pp_image_symbol(image, i, &info);
		if (info.is_local)
			locals->items[locals->nr++] = (struct local){ info.name, info.vma };
	}
	if (locals->nr)
		qsort(locals->items, locals->nr, sizeof(*locals->items), compare_locals);
	return 0;
}

/* Return the number of a local symbol among all local symbols of the same name, from 1 on: BOLT
 * numbers local symbols by address. Return 0 for other symbols. */
static size_t number_of(const struct locals *locals, const char *name, uint64_t vma)
{
	const struct local key = { name, vma };
	const struct local *found, *item;
	size_t number = 1;

	found = bsearch(&key, locals->items, locals->nr, sizeof(*locals->items), compare_locals);
	if (!found)
		return 0;
	for (item = found; item > locals->items && !strcmp(item[-1].name, name); item--)
		number++;
	return number;
}

/* Write a name as one word: a backslash precedes each blank and each backslash. */
static void put_name(FILE *out, const char *name)
{
	char buf[OP_CLEAN_MAX];

	for (name = op_clean(buf, sizeof(buf), name); *name; name++) {
		if (*name == ' ' || *name == '\\')
			putc('\\', out);
		putc(*name, out);
	}
}

/* Write the name of the event as one word of printable characters. */
static void put_event(FILE *out, const char *event)
{
	for (; *event; event++)
		putc(isgraph((unsigned char)*event) ? *event : '_', out);
}

static void put_samples(const struct pp_one_binary *one, const struct locals *locals, FILE *out)
{
	for (size_t i = 0; i < one->nr_functions; i++) {
		const struct pp_sampled *function = &one->functions[i];
		const struct pp_code *code = function->code;
		const char *name = code->raw ? code->raw : code->name;
		size_t number = number_of(locals, name, code->vma);

		for (size_t a = function->first; a < function->first + function->nr; a++) {
			fputs("1 ", out);
			put_name(out, name);
			if (number)
				fprintf(out, "/%zu", number);
			fprintf(out, " %" PRIx64 " %" PRIu64 "\n",
				one->addresses[a].vma - code->vma, one->addresses[a].count);
		}
	}
}

static int write_bolt(const struct pp_report *report)
{
	struct locals locals = { .items = NULL };
	struct pp_one_binary one;
	int err = pp_one_binary_open(&one, report, "llvm-bolt");

	if (err)
		return err;
	err = pp_one_binary_need_file(&one, "llvm-bolt", report->log);
	if (!err)
		err = find_locals(&locals, one.image);
	if (!err) {
		fputs("no_lbr ", report->out);
		put_event(report->out, report->session->classes.items[0].event);
		putc('\n', report->out);
		put_samples(&one, &locals, report->out);
	}
	free(locals.items);
	pp_one_binary_release(&one);
	return err;
}

static int write_preagg(const struct pp_report *report)
{
	struct pp_one_binary one;
	int err = pp_one_binary_open(&one, report, "perf2bolt");

	if (err)
		return err;
	err = pp_one_binary_need_file(&one, "perf2bolt", report->log);
	if (!err) {
		fputs("E ", report->out);
		put_event(report->out, report->session->classes.items[0].event);
		putc('\n', report->out);
		for (size_t i = 0; i < one.nr_addresses; i++)
			fprintf(report->out, "S %" PRIx64 " %" PRIu64 "\n", one.addresses[i].vma,
				one.addresses[i].count);
	}
	pp_one_binary_release(&one);
	return err;
}

const struct pp_format_ops pp_format_bolt = {
	.name = "bolt",
	.what = "profile of one binary, for llvm-bolt -data",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS | PP_NEED_RAW_NAMES,
	.flags = PP_FORMAT_ONE_CLASS,
	.write = write_bolt,
};

const struct pp_format_ops pp_format_bolt_preagg = {
	.name = "bolt-preagg",
	.what = "profile of one binary by address, for perf2bolt -pa",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS,
	.flags = PP_FORMAT_ONE_CLASS,
	.write = write_preagg,
};
