/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_codes.h -- codes (functions in the profile) for the symbols of a binary. Each symbol is
 * demangled, and checked against --include-symbols and --exclude-symbols, only once.
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
 * A table that finds the symbols of a binary by name. If a binary has several builds, the table
 * finds the function with the same name in an earlier build, so that the samples of all builds are
 * summed by function.
 */

struct pp_same_name;

/* A table that finds symbols by name. A struct of zeros is an empty table. */
struct pp_same_names {
	struct pp_same_name *slots;
	/* .size: number of hash slots, 0 or a power of two; .nr: number of symbols */
	size_t size, nr;
};

#define PP_NO_SAME_NAME	UINT32_MAX

#define PP_NONE		UINT32_MAX
/* value of .code for a symbol that --include-symbols or --exclude-symbols excludes */
#define PP_UNWANTED	(UINT32_MAX - 1)

/* The code (function in the profile) of one symbol, and its entry for the current program. */
struct pp_slot {
	/* index of the code; PP_NONE: not looked up yet; PP_UNWANTED: excluded */
	uint32_t code;
	/* index of the symbol's entry for the current group (program); PP_NONE: not made yet */
	uint32_t entry;
	/* symbol of an earlier build for which the samples of this symbol are counted; PP_NONE: no
	 * such symbol */
	uint32_t same;
	/* options exclude the symbol's samples, but call paths may contain its code */
	bool unwanted;
};

enum { PP_NO_NAME_SLOT, PP_UNCOVERED_SLOT, PP_RAW_SLOT, PP_NR_SPECIAL_SLOTS };

struct pp_part_codes {
	struct pp_part *part;
	const struct pp_profile_options *options;
	struct pp_image *image;
	/* number of the binary's build to which the current samples belong */
	uint32_t build;
	struct pp_demangler demangler;	/* demangles names; the part owns the results */
	/* names of symbols with samples; used only if the binary has several builds */
	struct pp_same_names names;
	struct pp_slot special[PP_NR_SPECIAL_SLOTS];
	/* for each symbol: its code (function in the profile) and its entry */
	struct pp_slot *slots;
	size_t nr_slots;
};

void pp_part_codes_init(struct pp_part_codes *codes, struct pp_part *part,
			const struct pp_profile_options *options);
void pp_part_codes_release(struct pp_part_codes *codes);

/* Store the slot of a symbol, or of code without a symbol, in *@ret. At the first call for a
 * symbol, make its code. Return 0 or -ENOMEM. */
int pp_part_code_of(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot **ret);
/* Prepare for the samples of another build, which the caller has appended to the part's builds.
 * Return 0 or -ENOMEM. */
int pp_part_codes_new_build(struct pp_part_codes *codes);
/* Prepare for the samples of another group (program), in which no symbol has an entry yet. */
void pp_part_codes_new_group(struct pp_part_codes *codes);

/* Lookup of the functions at frames of call paths. The binary that contains the frames must be
 * open. */

struct pp_part_places {
	struct pp_part_codes *codes;
	/* for each code (function) of the part: index of its place on call paths, plus 1; 0: no
	 * place yet */
	uint32_t *of_code;
	size_t nr_of_code;
	/* hash table of places (functions on call paths) for inlined functions and for lines:
	 * indices of places, plus 1 */
	uint32_t *inlined;
	size_t size; /* number of slots in the hash table .inlined, a power of two or 0 */
	size_t nr_inlined;
	struct pp_intern files;		/* source file names, which the part owns */
};

/* Look up the functions of @frame (outermost first), and store the indices of their places. The
 * caller must call pp_image_begin() for the frame's image first. Return 0 or -ENOMEM. */
int pp_part_place_frame(struct pp_part_places *places, struct pp_path_frame *frame, bool is_kernel);
/* Free the contents of @places, which may be zeroed. */
void pp_part_places_release(struct pp_part_places *places);

#endif
