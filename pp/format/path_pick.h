/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_pick.h -- as much of a tree as can be drawn: the nodes with the most samples, and with each all above it. What
 * has no node of its own counts in the one above.
 */
#ifndef PP_FORMAT_PATH_PICK_H
#define PP_FORMAT_PATH_PICK_H

#include "pp/format/path_names.h"

enum pp_path_colour {	/* of a node; scripts have the numbers */
	PP_PATH_PROGRAM,
	PP_PATH_USER,
	PP_PATH_UNCOVERED,	/* no symbol is known */
	PP_PATH_KERNEL,
	PP_PATH_INLINED,
	PP_PATH_BY_POINTER,	/* found by a frame pointer */
	PP_PATH_REASON,		/* why a path ends */
	PP_PATH_NR_COLOURS,
};

struct pp_path_pick {
	uint32_t *nodes;	/* each behind its parent, those with the most samples first among siblings */
	uint32_t *parent;	/* beside them: index of the parent's here; the node's own for programs */
	size_t nr;
	size_t nr_left_out;	/* branches: nodes with all below them */
};

/* At most @max nodes, and those of programs. -ENOMEM. */
int pp_path_pick_make(struct pp_path_pick *ret, const struct pp_path_names *names, size_t max);
/* Takes a zeroed struct. */
void pp_path_pick_release(struct pp_path_pick *pick);

enum pp_path_colour pp_path_colour(const struct pp_path_names *names, uint32_t node);

#endif
