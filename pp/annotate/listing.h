/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h -- the instructions of a function, with samples and source lines.
 */
#ifndef PP_ANNOTATE_LISTING_H
#define PP_ANNOTATE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/profile/profile.h"

struct pp_lister;

struct pp_lister_options {
	/* options for the disassembler, as for objdump -M; NULL: none */
	const char *words;
	bool lines;		/* look up the source line of each instruction */
	bool bytes;		/* keep the machine code of each instruction */
	bool raw_names;		/* do not demangle names of jump targets */
};

struct pp_insn {
	uint64_t vma;
	const char *text;
	/* number of the instruction's samples in each class (an event on a CPU, for example); NULL:
	 * no samples */
	const uint64_t *counts;
	/* machine code of the instruction, .size bytes; NULL: not requested */
	const uint8_t *bytes;
	uint32_t size;
	/* The source line, in the innermost inlined function. */
	uint32_t line;		/* number of the line in .file; 0: unknown */
	const char *file;	/* source file of the instruction, interned; NULL: unknown */
};

struct pp_listing {
	struct pp_insn *insns;	/* instructions of the function, sorted by address */
	size_t nr;
	/* bytes of a very long function that are not listed, because they are far from samples */
	size_t skipped;
	struct pp_block *blocks;
	struct pp_block *strings;
};

/*
 * Open a binary for listings of its functions. Return 0, -ENOTSUP if no disassembler for its
 * machine is installed, -ENOENT if its code cannot be read, -EINVAL if one of @options->words is
 * invalid for the machine, or -ENOMEM. Write no message to the log. On -ENOTSUP and -EINVAL, store
 * the machine in *@ret_machine, unless @ret_machine is NULL. The caller calls pp_lister_close().
 */
int pp_lister_open(struct pp_lister **ret, struct pp_images *images,
		   const struct pp_binary *binary, const struct pp_lister_options *options,
		   struct pp_log *log, uint16_t *ret_machine);
/* Free the lister. @lister may be NULL. */
void pp_lister_close(struct pp_lister *lister);

/*
 * List the instructions of a function. @details: the function's sampled addresses, with @nr_classes
 * counts each, or NULL. Add each count to exactly one instruction. Code without a symbol has no
 * known size, so list only its sampled instructions. Return 0, -ENOENT if the file does not contain
 * the code, or -ENOMEM.
 */
int pp_listing_make(struct pp_listing *ret, struct pp_lister *lister, const struct pp_code *code,
		    const struct pp_details *details, size_t nr_classes);
/* Free the contents of @listing, which may be zeroed. */
void pp_listing_release(struct pp_listing *listing);

/* Return the lister's image, for pp_image_frames(). */
struct pp_image *pp_lister_image(struct pp_lister *lister);

#endif
