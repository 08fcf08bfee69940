/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_names.h -- the calling context tree that a format shows, with names of its places: the
 * profile's tree or, without call paths, a tree of programs, images and functions.
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
	struct pp_stacks stacks;	/* names of programs, images and functions */
	/* the tree, if it was made here because the profile has no call paths, or has branches that
	 * are left out; else NULL */
	struct pp_paths *own;
	struct pp_block *blocks;
	char **own_names;		/* for each place, a name that was composed here, or NULL */
	/* names and paths, indexed by place, because a tree has many more nodes than places */
	struct pp_path_text *texts;
};

/* Fill in *@ret. @report must have symbols. Return 0 or -ENOMEM. */
int pp_path_names_make(struct pp_path_names *ret, const struct pp_report *report);
/* The same, but with --significant the tree has only branches whose change is significant, and a
 * node with the sum of the others. */
int pp_path_names_make_significant(struct pp_path_names *ret, const struct pp_report *report);
/* Release the names. Accepts a zeroed struct. */
void pp_path_names_release(struct pp_path_names *names);

/* Return the name of a place, as reports show it without program and image. */
static inline const char *pp_path_name(const struct pp_path_names *names, uint32_t place)
{
	return names->texts[place].text;
}

/* Return the path of the program or binary, or "" for other places. */
const char *pp_path_place_path(const struct pp_path_names *names, uint32_t place);
/* Return the code of a place, or NULL if the place is not a function or is an inlined function. */
const struct pp_code *pp_path_place_code(const struct pp_path_names *names, uint32_t place);

/*
 * A part of a tree that can be drawn: the nodes with the most samples, and all nodes above them.
 * The samples of a node that is not picked count for its parent.
 */

enum pp_path_colour {	/* colours of nodes; scripts use these numbers */
	PP_PATH_PROGRAM,
	PP_PATH_USER,
	PP_PATH_UNCOVERED,	/* the code has no symbol */
	PP_PATH_KERNEL,
	PP_PATH_INLINED,
	PP_PATH_BY_POINTER,	/* the frame was found by a frame pointer */
	PP_PATH_REASON,		/* not a frame, but the reason why a path ends */
	PP_PATH_NR_COLOURS,
};

struct pp_path_pick {
	/* the picked nodes; parents precede their children, and of siblings the one with most
	 * samples is first */
	uint32_t *nodes;
	/* for each picked node, the index of its parent in .nodes; for a program, the program's own
	 * index */
	uint32_t *parent;
	size_t nr;
	/* number of branches that were left out; a branch is a node with all its descendants */
	size_t nr_left_out;
};

/* Pick the nodes of all programs, and at most @max other nodes. Return 0 or -ENOMEM. */
int pp_path_pick_make(struct pp_path_pick *ret, const struct pp_path_names *names, size_t max);
/* Release the picked nodes. Accepts a zeroed struct. */
void pp_path_pick_release(struct pp_path_pick *pick);

enum pp_path_colour pp_path_colour(const struct pp_path_names *names, uint32_t node);

#endif
