/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_names.h -- the calling context tree that a format shows: that of the profile, or where no call paths are known, one of
 * program, image and function; and what its places are called.
 */
#ifndef PP_FORMAT_PATH_NAMES_H
#define PP_FORMAT_PATH_NAMES_H

#include "pp/format/stacks.h"
#include "pp/profile/paths.h"

struct pp_path_text {
	const char *text;
	size_t len;
};

struct pp_path_names {
	const struct pp_paths *paths;
	struct pp_stacks stacks;	/* for names */
	struct pp_paths *own;		/* when it is not the profile's */
	struct pp_block *blocks;
	char **own_names;		/* by place: where its name is made of others; else NULL */
	struct pp_path_text *texts;	/* by place: trees have many more nodes than places */
};

/* @report must have symbols. 0 or -ENOMEM. */
int pp_path_names_make(struct pp_path_names *ret, const struct pp_report *report);
/* Takes a zeroed struct. */
void pp_path_names_release(struct pp_path_names *names);

/* As it stands where neither program nor image stand beside it. */
static inline const char *pp_path_name(const struct pp_path_names *names, uint32_t place)
{
	return names->texts[place].text;
}

/* Of the program or of the binary; "" for what is in none. */
const char *pp_path_place_path(const struct pp_path_names *names, uint32_t place);
/* Of functions that are not inlined; else NULL. */
const struct pp_code *pp_path_place_code(const struct pp_path_names *names, uint32_t place);

#endif
