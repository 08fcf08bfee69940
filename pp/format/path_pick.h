/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_pick.h -- a part of a tree that can be drawn: the nodes with the most samples, and all nodes
 * above them. A node that is not picked counts for its parent.
 */
#ifndef PP_FORMAT_PATH_PICK_H
#define PP_FORMAT_PATH_PICK_H

#include "pp/format/path_names.h"

enum pp_path_colour {	/* colours of nodes; scripts use these numbers */
	PP_PATH_PROGRAM,
	PP_PATH_USER,
	PP_PATH_UNCOVERED,	/* no symbol is known */
	PP_PATH_KERNEL,
	PP_PATH_INLINED,
	PP_PATH_BY_POINTER,	/* the frame was found by a frame pointer */
	PP_PATH_REASON,		/* the reason why a path ends */
	PP_PATH_NR_COLOURS,
};

struct pp_path_pick {
	uint32_t *nodes;	/* each after its parent; siblings with the most samples first */
	/* for each node: the index of its parent in .nodes; for programs, its own */
	uint32_t *parent;
	size_t nr;
	size_t nr_left_out;	/* branches that were left out: nodes with all nodes below them */
};

/* Pick at most @max nodes, and those of all programs. Return 0 or -ENOMEM. */
int pp_path_pick_make(struct pp_path_pick *ret, const struct pp_path_names *names, size_t max);
/* Takes a zeroed struct. */
void pp_path_pick_release(struct pp_path_pick *pick);

enum pp_path_colour pp_path_colour(const struct pp_path_names *names, uint32_t node);

#endif
