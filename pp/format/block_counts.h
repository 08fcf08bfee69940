/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_counts.h -- how often each basic block of a function ran, estimated from samples of
 * addresses.
 *
 * Samples measure time: an instruction gets samples in proportion to its cycles, and samples of a
 * slow instruction often count for the next one. Compilers expect numbers of executions. All
 * instructions of a basic block run equally often. So the number of samples per instruction of a
 * block estimates how often the block ran.
 */
#ifndef PP_FORMAT_BLOCK_COUNTS_H
#define PP_FORMAT_BLOCK_COUNTS_H

#include "pp/format/one_binary.h"
#include "pp/image/blocks.h"

/* Counts are means of samples per instruction, multiplied by this unit, so that whole numbers
 * express small means. */
#define PP_COUNT_UNIT	1000

struct pp_block_counts {
	struct pp_insns insns;	/* the instructions of the function */
	uint64_t *counts;	/* for each instruction: estimated count of its basic block */
};

/* The image of a binary, and a disassembler for it. */
struct pp_block_reader {
	struct pp_image *image;
	struct pp_disasm *disasm;
};

/* Prepare for counting blocks of functions of @one, which must outlive the reader. Return 0,
 * -ENOMEM, or -ENOTSUP with the cause in the log if there is no disassembler for the machine. */
int pp_block_reader_open(struct pp_block_reader *ret, const struct pp_one_binary *one,
			 struct pp_log *log);
/* Free the contents of @reader, which may be zeroed. */
void pp_block_reader_close(struct pp_block_reader *reader);

/* Estimate the counts of @function. If its code cannot be read, the result has no instructions.
 * Return 0 or -ENOMEM. The caller releases *@ret. */
int pp_block_counts_make(struct pp_block_counts *ret, const struct pp_block_reader *reader,
			 const struct pp_one_binary *one, const struct pp_sampled *function);
/* Free the contents of @counts, which may be zeroed. */
void pp_block_counts_release(struct pp_block_counts *counts);

#endif
