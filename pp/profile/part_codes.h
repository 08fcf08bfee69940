/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_codes.h -- translation of the symbols of a part's image into codes. Each symbol is named and
 * filtered once.
 */
#ifndef PP_PROFILE_PART_CODES_H
#define PP_PROFILE_PART_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"
#include "pp/image/demangle.h"
#include "pp/profile/part.h"

/*
 * An index of a binary's symbols by name. If a binary has several builds, a function is found in an
 * earlier build by its name, so that the samples of all builds in one function are summed.
 */

struct pp_same_name;

struct pp_same_names {		/* Index of a binary's symbols by name. All zeros: empty. */
	struct pp_same_name *slots;
	/* .size: number of slots, 0 or a power of two; .nr: number of symbols */
	size_t size, nr;
};

#define PP_NO_SAME_NAME	UINT32_MAX

#define PP_NONE		UINT32_MAX
/* value for a symbol that --include-symbols or --exclude-symbols leaves out */
#define PP_UNWANTED	(UINT32_MAX - 1)

/* The code and entry of a symbol of the image. */
struct pp_slot {
	/* index of the symbol's code; PP_NONE: not looked up yet; PP_UNWANTED: left out */
	uint32_t code;
	/* index of the symbol's entry in the current group; PP_NONE: not made yet */
	uint32_t entry;
	/* symbol of an earlier build that gets the counts; PP_NONE: the symbol itself */
	uint32_t same;
	/* samples in the symbol are left out; the symbol may have a code for call paths through
	 * it */
	bool unwanted;
};

enum { PP_NO_NAME_SLOT, PP_UNCOVERED_SLOT, PP_RAW_SLOT, PP_NR_SPECIAL_SLOTS };

struct pp_part_codes {
	struct pp_part *part;
	const struct pp_profile_options *options;
	struct pp_image *image;
	/* number of the build to which the current samples belong */
	uint32_t build;
	struct pp_demangler demangler;	/* makes demangled names, which the part owns */
	/* names of symbols with samples, if there are several builds */
	struct pp_same_names names;
	struct pp_slot special[PP_NR_SPECIAL_SLOTS];
	struct pp_slot *slots;		/* results of look-ups, indexed by symbol */
	size_t nr_slots;
};

void pp_part_codes_init(struct pp_part_codes *codes, struct pp_part *part,
			const struct pp_profile_options *options);
void pp_part_codes_release(struct pp_part_codes *codes);

/* Store the slot of a symbol, or of code without a symbol, in *@ret, with its .code filled in.
 * Return 0 or -ENOMEM. */
int pp_part_code_of(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot **ret);
/* Prepare for samples of a new build, which the caller has added to the part's builds. Return 0 or
 * -ENOMEM. */
int pp_part_codes_new_build(struct pp_part_codes *codes);
/* Prepare for samples of another group, in which no symbol has an entry yet. */
void pp_part_codes_new_group(struct pp_part_codes *codes);

/* Translation of frames of call paths into functions. It needs the open image of the binary that
 * has the frames. */

struct pp_part_places {
	struct pp_part_codes *codes;
	/* for each code: index of its place + 1; 0: the place was not made yet */
	uint32_t *of_code;
	size_t nr_of_code;
	/* hash table of inlined functions and of lines: indices of places + 1 */
	uint32_t *inlined;
	size_t size;			/* size of the hash table; a power of two, or 0 */
	size_t nr_inlined;
	struct pp_intern files;		/* names of source files, owned by the part */
};

/* Find the places of @frame. pp_image_begin() must have been called for the frame's image. Return 0
 * or -ENOMEM. */
int pp_part_place_frame(struct pp_part_places *places, struct pp_path_frame *frame, bool is_kernel);
/* @places may be zeroed. */
void pp_part_places_release(struct pp_part_places *places);

#endif
