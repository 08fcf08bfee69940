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
	/* options of the disassembler, as for objdump -M; NULL: no options */
	const char *words;
	bool lines;		/* also find the source line of each instruction */
	bool bytes;		/* also keep the code bytes of each instruction */
	bool raw_names;		/* do not demangle the names of jump targets */
};

struct pp_insn {
	uint64_t vma;
	const char *text;
	/* samples of the instruction, one count for each class; NULL: no samples */
	const uint64_t *counts;
	const uint8_t *bytes;	/* the instruction's bytes, .size of them; NULL: not requested */
	uint32_t size;
	/* The source line of the innermost inlined function. */
	uint32_t line;		/* line number; 0: unknown */
	const char *file;	/* name of the source file, an interned string; NULL: unknown */
};

struct pp_listing {
	struct pp_insn *insns;	/* the instructions, in order of address */
	size_t nr;
	/* number of bytes of a very long function that are not listed, because they are far from
	 * samples */
	size_t skipped;
	struct pp_block *blocks;
	struct pp_block *strings;
};

/*
 * Open a binary for listings of its functions. Return 0; -ENOTSUP: no disassembler for its machine
 * is installed; -ENOENT: its code cannot be read; -EINVAL: this machine does not have one of
 * @options->words; or -ENOMEM. The log gets no message. On -ENOTSUP and -EINVAL, store the machine
 * in *@ret_machine, unless @ret_machine is NULL.
 */
int pp_lister_open(struct pp_lister **ret, struct pp_images *images,
		   const struct pp_binary *binary, const struct pp_lister_options *options,
		   struct pp_log *log, uint16_t *ret_machine);
/* @lister may be NULL. */
void pp_lister_close(struct pp_lister *lister);

/*
 * List the instructions of a function. @details, with @nr_classes counts each, may be NULL; each
 * count is assigned to exactly one instruction. If the code is not a symbol, its size is unknown,
 * so only the instructions at sampled addresses are listed. Return 0; -ENOENT: the file has no byte
 * of the code; or -ENOMEM.
 */
int pp_listing_make(struct pp_listing *ret, struct pp_lister *lister, const struct pp_code *code,
		    const struct pp_details *details, size_t nr_classes);
/* @listing may be zeroed. */
void pp_listing_release(struct pp_listing *listing);

/* Return the image of a lister, for pp_image_frames(). */
struct pp_image *pp_lister_image(struct pp_lister *lister);

#endif
