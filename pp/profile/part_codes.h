/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_codes.h -- translation of the symbols of a part's image into codes. Each symbol is named and
 * filtered once.
 */
#ifndef PP_PROFILE_PART_CODES_H
#define PP_PROFILE_PART_CODES_H

#include <stdbool.h>

#include "pp/image/demangle.h"
#include "pp/profile/part.h"
#include "pp/profile/same_names.h"

#define PP_NONE		UINT32_MAX
#define PP_UNWANTED	(UINT32_MAX - 1)	/* by --include-symbols or --exclude-symbols */

/* The code and entry of a symbol of the image. */
struct pp_slot {
	uint32_t code;		/* PP_NONE: not looked up yet; or PP_UNWANTED */
	uint32_t entry;		/* entry in the current group; PP_NONE: not made yet */
	/* symbol of an earlier build that gets the counts; PP_NONE: the symbol itself */
	uint32_t same;
	/* its samples are left out; call paths through it still have a code */
	bool unwanted;
};

enum { PP_NO_NAME_SLOT, PP_UNCOVERED_SLOT, PP_RAW_SLOT, PP_NR_SPECIAL_SLOTS };

struct pp_part_codes {
	struct pp_part *part;
	const struct pp_profile_options *options;
	struct pp_image *image;
	uint32_t build;			/* build of the current samples */
	struct pp_demangler demangler;	/* the part owns its texts */
	/* names of symbols with samples, if there are several builds */
	struct pp_same_names names;
	struct pp_slot special[PP_NR_SPECIAL_SLOTS];
	struct pp_slot *slots;		/* by symbol */
	size_t nr_slots;
};

void pp_part_codes_init(struct pp_part_codes *codes, struct pp_part *part,
			const struct pp_profile_options *options);
void pp_part_codes_release(struct pp_part_codes *codes);

/* Store the slot of a symbol, or of code without a symbol, in *@ret, with its .code filled in.
 * Return 0 or -ENOMEM. */
int pp_part_code_of(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot **ret);
/* Begin a new build, which the caller has added to the part's builds. Return 0 or -ENOMEM. */
int pp_part_codes_new_build(struct pp_part_codes *codes);
/* Set *@ret to the linker's name of the symbol shown as @shown, if raw names are wanted and it
 * differs; else to NULL. Return 0 or -ENOMEM. */
int pp_part_raw_name(struct pp_part_codes *codes, const char *name, const char *shown,
		     const char **ret);
/* Begin another group. */
void pp_part_codes_new_group(struct pp_part_codes *codes);

#endif
