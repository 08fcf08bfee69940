/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_names.h -- the calling context tree that a format shows, and the names of its nodes. It is
 * the profile's tree or, without call paths, a tree of programs, images and functions.
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
	/* a tree that was made for the report, because the profile has no call paths or because
	 * branches were removed; else NULL */
	struct pp_paths *own;
	struct pp_block *blocks;
	/* for each element of .places: name that was composed for this function or program, or
	 * NULL */
	char **own_names;
	/* name and path of each element of .places (functions and programs), computed once, because
	 * a tree has many more nodes than functions */
	struct pp_path_text *texts;
};

/* Set *@ret to the tree of call paths that the report shows, with names of the nodes. @report must
 * have symbols. Return 0 or -ENOMEM. */
int pp_path_names_make(struct pp_path_names *ret, const struct pp_report *report);
/* Like pp_path_names_make(), but with --significant replace branches without a significant change
 * by one node with their sum. */
int pp_path_names_make_significant(struct pp_path_names *ret, const struct pp_report *report);
/* Free the contents of @names, which may be zeroed. */
void pp_path_names_release(struct pp_path_names *names);

/* Return the name that reports show for @place, a function or program in the tree, without program
 * and image. */
static inline const char *pp_path_name(const struct pp_path_names *names, uint32_t place)
{
	return names->texts[place].text;
}

/* Return the path of @place, an element of call paths, if it is a program or a binary, else "". */
const char *pp_path_place_path(const struct pp_path_names *names, uint32_t place);
/* Return the profile's data about the function @place, or NULL if @place is an inlined function or
 * not a function. */
const struct pp_code *pp_path_place_code(const struct pp_path_names *names, uint32_t place);

/*
 * A selection of tree nodes for drawing: the nodes with most samples, and all their ancestors.
 * Samples of other nodes count for their nearest selected ancestor.
 */

enum pp_path_colour {	/* colours of nodes; scripts know these numbers */
	PP_PATH_PROGRAM,
	PP_PATH_USER,
	PP_PATH_UNCOVERED,	/* code for which its binary has no symbol */
	PP_PATH_KERNEL,
	PP_PATH_INLINED,
	PP_PATH_BY_POINTER,	/* the unwinder found the frame by a frame pointer */
	PP_PATH_REASON,		/* not a frame, but the reason why a call path is incomplete */
	PP_PATH_NR_COLOURS,
};

struct pp_path_pick {
	/* the selected nodes: parents before children, siblings with most samples first */
	uint32_t *nodes;
	/* for each selected node: index of the parent in .nodes; a program has its own index */
	uint32_t *parent;
	size_t nr;
	/* number of branches (a node and all its descendants) that are not selected */
	size_t nr_left_out;
};

/* Select the nodes of all programs, and at most @max other nodes with most samples. Return 0 or
 * -ENOMEM. */
int pp_path_pick_make(struct pp_path_pick *ret, const struct pp_path_names *names, size_t max);
/* Free the contents of @pick, which may be zeroed. */
void pp_path_pick_release(struct pp_path_pick *pick);

enum pp_path_colour pp_path_colour(const struct pp_path_names *names, uint32_t node);

#endif
