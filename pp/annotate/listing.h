/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h -- a function as instructions, each with its samples and the source line it came from.
 */
#ifndef PP_ANNOTATE_LISTING_H
#define PP_ANNOTATE_LISTING_H

#include <stddef.h>
#include <stdint.h>

#include "pp/profile/profile.h"

struct pp_lister;

struct pp_lister_options {
	const char *words;	/* for the disassembler, as objdump -M; NULL: none */
	int lines;		/* find source lines too */
	int bytes;		/* keep the code bytes too */
	int raw_names;		/* targets of jumps by the names compilers make */
};

struct pp_insn {
	uint64_t vma;
	const char *text;
	const uint64_t *counts;	/* NULL: no samples */
	const uint8_t *bytes;	/* .size of them; NULL unless asked for */
	uint32_t size;
	/* Of the innermost function inlined there. */
	uint32_t line;		/* 0: not known */
	const char *file;	/* NULL: not known; one pointer for each file */
};

struct pp_listing {
	struct pp_insn *insns;	/* by vma */
	size_t nr;
	size_t skipped;		/* bytes left out, far from any sample, of a very long function */
	struct pp_block *blocks;
	struct pp_block *strings;
};

/*
 * Opens a binary for listings of its functions. -ENOTSUP: there is no disassembler for its machine
 * here, -ENOENT: its code is not to be had, -EINVAL: @options->words hold one that is none of this
 * machine's. *@ret_machine, if not NULL: of the binary, on -ENOTSUP and -EINVAL. The log was told
 * nothing of these; -ENOMEM otherwise.
 */
int pp_lister_open(struct pp_lister **ret, struct pp_images *images,
		   const struct pp_binary *binary, const struct pp_lister_options *options,
		   struct pp_log *log, uint16_t *ret_machine);
/* Takes NULL. */
void pp_lister_close(struct pp_lister *lister);

/*
 * The instructions of a function. @details, of @nr_classes counts, may be NULL; every count of it
 * is at exactly one instruction. A code that is no symbol has no extent: then only the instructions at
 * sampled addresses are listed. -ENOENT: not one byte of it is in the file. -ENOMEM.
 */
int pp_listing_make(struct pp_listing *ret, struct pp_lister *lister, const struct pp_code *code,
		    const struct pp_details *details, size_t nr_classes);
/* Takes a zeroed struct. */
void pp_listing_release(struct pp_listing *listing);

/* The image of a lister, to ask it for frames. */
struct pp_image *pp_lister_image(struct pp_lister *lister);

#endif
