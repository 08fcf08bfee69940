/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_counts.h -- how often each basic block of a sampled function ran, estimated from samples of
 * addresses.
 *
 * Samples are counts of time: an instruction gets samples for the cycles that it takes, and those
 * of a slow instruction often count for the next one. Compilers expect counts of executions. All
 * instructions of a basic block run equally often, so the mean of the samples of a block's
 * instructions estimates the number of its executions, in samples per instruction.
 */
#ifndef PP_FORMAT_BLOCK_COUNTS_H
#define PP_FORMAT_BLOCK_COUNTS_H

#include "pp/format/one_binary.h"
#include "pp/image/blocks.h"

/* The unit of counts: a sample in each of an instruction's neighbours and in itself counts this
 * much, so that whole numbers express small means. */
#define PP_COUNT_UNIT	1000

struct pp_block_counts {
	struct pp_insns insns;	/* the instructions of a function */
	uint64_t *counts;	/* for each instruction, the count of its basic block */
};

/* What block counts need of a binary: a disassembler. */
struct pp_block_reader {
	struct pp_image *image;
	struct pp_disasm *disasm;
};

/* Prepare for the functions of @one, which must outlive the reader. Return 0, -ENOMEM, or -ENOTSUP
 * with the cause in the log if there is no disassembler for the binary's machine. */
int pp_block_reader_open(struct pp_block_reader *ret, const struct pp_one_binary *one,
			 struct pp_log *log);
/* Release the reader. Accepts a zeroed struct. */
void pp_block_reader_close(struct pp_block_reader *reader);

/* Estimate the counts of @function. Return 0 or -ENOMEM. A function whose code cannot be read has
 * no instructions. */
int pp_block_counts_make(struct pp_block_counts *ret, const struct pp_block_reader *reader,
			 const struct pp_one_binary *one, const struct pp_sampled *function);
/* Release the counts. Accepts a zeroed struct. */
void pp_block_counts_release(struct pp_block_counts *counts);

#endif
