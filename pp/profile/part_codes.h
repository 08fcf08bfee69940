/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_codes.h -- from the symbols of a part's image to its codes: each is named once, and asked whether it is
 * wanted.
 */
#ifndef PP_PROFILE_PART_CODES_H
#define PP_PROFILE_PART_CODES_H

#include <stdbool.h>

#include "pp/image/demangle.h"
#include "pp/profile/part.h"
#include "pp/profile/same_names.h"

#define PP_NONE		UINT32_MAX
#define PP_UNWANTED	(UINT32_MAX - 1)	/* by --include-symbols or --exclude-symbols */

/* What is known about a symbol of the image. */
struct pp_slot {
	uint32_t code;		/* PP_NONE: not looked at yet; PP_UNWANTED */
	uint32_t entry;		/* of the group being read; PP_NONE: not yet */
	uint32_t same;		/* symbol of an earlier build to count instead; PP_NONE: itself */
	bool unwanted;		/* its samples are left out; a code it has for call paths that lead through it */
};

enum { PP_NO_NAME_SLOT, PP_UNCOVERED_SLOT, PP_RAW_SLOT, PP_NR_SPECIAL_SLOTS };

struct pp_part_codes {
	struct pp_part *part;
	const struct pp_profile_options *options;
	struct pp_image *image;
	uint32_t build;			/* of the samples begun */
	struct pp_demangler demangler;	/* its texts are owned by the part */
	struct pp_same_names names;	/* of symbols with samples, once there are two builds */
	struct pp_slot special[PP_NR_SPECIAL_SLOTS];
	struct pp_slot *slots;		/* by symbol */
	size_t nr_slots;
};

void pp_part_codes_init(struct pp_part_codes *codes, struct pp_part *part,
			const struct pp_profile_options *options);
void pp_part_codes_release(struct pp_part_codes *codes);

/* Of a symbol, or what stands for none: *@ret is its slot, and its .code is known. -ENOMEM. */
int pp_part_code_of(struct pp_part_codes *codes, uint32_t symbol, struct pp_slot **ret);
/* Samples are begun of a build for the first time; .part has it. -ENOMEM. */
int pp_part_codes_new_build(struct pp_part_codes *codes);
/* Set *@ret to the linker's name of the symbol shown as @shown, if raw names are wanted and it differs; else to NULL.
 * Return 0 or -ENOMEM. */
int pp_part_raw_name(struct pp_part_codes *codes, const char *name, const char *shown, const char **ret);
/* Another group is read. */
void pp_part_codes_new_group(struct pp_part_codes *codes);

#endif
