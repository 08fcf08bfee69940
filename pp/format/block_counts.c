// SPDX-License-Identifier: GPL-2.0-or-later
/* block_counts.c -- estimates from samples how often each basic block ran. */
#include "config.h"
#include "pp/format/block_counts.h"

#include <errno.h>
#include <stdlib.h>

#include "pp/image/image.h"

/* maximum size of a function whose code is read, in bytes */
#define MAX_FUNCTION	(16u << 20)

int pp_block_reader_open(struct pp_block_reader *ret, const struct pp_one_binary *one,
			 struct pp_log *log)
{
	const struct pp_disasm_options options = {
		.machine = one->info.machine,
		.is64 = one->info.is64,
		.big_endian = one->info.big_endian,
	};
	struct pp_block_reader reader = { .image = one->image };
	int err = pp_disasm_create(&reader.disasm, &options);

	if (err == -ENOTSUP)
		return op_fail(&log->error, err,
			       "%s: cannot read its code: no disassembler supports its "
			       "machine; install %s", one->binary->title,
			       pp_disasm_package(one->info.machine));
	if (!err)
		*ret = reader;
	return err;
}

void pp_block_reader_close(struct pp_block_reader *reader)
{
	pp_disasm_destroy(reader->disasm);
	*reader = (struct pp_block_reader){ .image = NULL };
}

/* Set the counts of the instructions from @first up to, but not including, @end. These instructions
 * form a basic block, which has @samples samples. */
static void set_block(struct pp_block_counts *c, size_t first, size_t end, uint64_t samples)
{
	uint64_t nr = end - first;
	uint64_t count = (samples * PP_COUNT_UNIT + nr / 2) / nr;

	for (size_t i = first; i < end; i++)
		c->counts[i] = count;
}

static void count_blocks(struct pp_block_counts *c, const struct pp_address *addresses, size_t nr)
{
	const struct pp_insn *insns = c->insns.items;
	uint64_t samples = 0;
	size_t first = 0, at = 0;

	for (size_t i = 0; i < c->insns.nr; i++) {
		if (insns[i].begins_block && i > first) {
			set_block(c, first, i, samples);
			first = i;
			samples = 0;
		}
		for (; at < nr && addresses[at].vma < insns[i].vma + insns[i].size; at++)
			samples += addresses[at].count;
	}
	if (c->insns.nr)
		set_block(c, first, c->insns.nr, samples);
}

int pp_block_counts_make(struct pp_block_counts *ret, const struct pp_block_reader *reader,
			 const struct pp_one_binary *one, const struct pp_sampled *function)
{
	const struct pp_code *code = function->code;
	size_t size = code->size < MAX_FUNCTION ? code->size : MAX_FUNCTION;
	struct pp_block_counts counts = { .counts = NULL };
	uint8_t *bytes = malloc(size + 1);
	int err;

	if (!bytes)
		return -ENOMEM;
	size = pp_image_code(reader->image, code->vma, bytes, size);
	err = pp_insns_read(&counts.insns, reader->disasm, bytes, size, code->vma);
	free(bytes);
	if (err)
		return err;
	counts.counts = calloc(counts.insns.nr + 1, sizeof(*counts.counts));
	if (!counts.counts) {
		pp_insns_release(&counts.insns);
		return -ENOMEM;
	}
	count_blocks(&counts, one->addresses + function->first, function->nr);
	*ret = counts;
	return 0;
}

void pp_block_counts_release(struct pp_block_counts *counts)
{
	pp_insns_release(&counts->insns);
	free(counts->counts);
	*counts = (struct pp_block_counts){ .counts = NULL };
}
