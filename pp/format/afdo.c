// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * afdo.c -- AutoFDO's text profile for create_gcov (gcc -fauto-profile) and create_llvm_prof:
 * executions of ranges of code, and samples of addresses. Addresses are relative to the load
 * address of the file.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/format/block_counts.h"
#include "pp/format/one_binary.h"

/* A range of instructions that always run together. .last: address of the last instruction in the
 * range. */
struct range {
	uint64_t first, last, count;
};

struct afdo {
	struct pp_one_binary one;
	struct pp_block_reader reader;
	struct range *ranges;
	size_t nr_ranges;
};

static int add_ranges(struct afdo *a, const struct pp_block_counts *counts)
{
	const struct pp_insn *insns = counts->insns.items;

	for (size_t i = 0; i < counts->insns.nr; i++) {
		if (!insns[i].begins_block) {
			if (counts->counts[i])
				a->ranges[a->nr_ranges - 1].last = insns[i].vma;
			continue;
		}
		if (!counts->counts[i])
			continue;
		if (op_grow(&a->ranges, a->nr_ranges))
			return -ENOMEM;
		a->ranges[a->nr_ranges++] =
			(struct range){ insns[i].vma, insns[i].vma, counts->counts[i] };
	}
	return 0;
}

static int collect(struct afdo *a, struct pp_log *log)
{
	int err = pp_block_reader_open(&a->reader, &a->one, log);

	for (size_t i = 0; i < a->one.nr_functions && !err; i++) {
		struct pp_block_counts counts;

		err = pp_block_counts_make(&counts, &a->reader, &a->one, &a->one.functions[i]);
		if (err)
			break;
		err = add_ranges(a, &counts);
		pp_block_counts_release(&counts);
	}
	return err;
}

/* Write three lists, each after its length: ranges, addresses, and branches. The list of branches
 * is always empty, because branches are unknown. */
static void put(const struct afdo *a, FILE *out)
{
	const uint64_t base = a->one.info.load_vma;

	fprintf(out, "%zu\n", a->nr_ranges);
	for (size_t i = 0; i < a->nr_ranges; i++)
		fprintf(out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", a->ranges[i].first - base,
			a->ranges[i].last - base, a->ranges[i].count);
	fprintf(out, "%zu\n", a->one.nr_addresses);
	for (size_t i = 0; i < a->one.nr_addresses; i++)
		fprintf(out, "%" PRIx64 ":%" PRIu64 "\n", a->one.addresses[i].vma - base,
			a->one.addresses[i].count);
	fputs("0\n", out);
}

static int write_afdo(const struct pp_report *report)
{
	struct afdo a = { .ranges = NULL };
	int err = pp_one_binary_open(&a.one, report, "create_gcov");

	if (!err)
		err = pp_one_binary_need_file(&a.one, "create_gcov", report->log);
	if (!err)
		err = collect(&a, report->log);
	if (!err)
		put(&a, report->out);
	pp_block_reader_close(&a.reader);
	pp_one_binary_release(&a.one);
	free(a.ranges);
	return err;
}

const struct pp_format_ops pp_format_afdo = {
	.name = "afdo",
	.what = "profile of one binary, for AutoFDO's create_gcov (gcc) and create_llvm_prof",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS,
	.flags = PP_FORMAT_ONE_CLASS,
	.write = write_afdo,
};
