/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h -- the tree of call paths of a picture as a flame graph of character cells.
 */
#ifndef PP_TOP_FLAME_H
#define PP_TOP_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "pp/top/picture.h"

/* The place of a node. Below a node are its children, in order of name, so that a node stays in its
 * place while its share does. */
struct pp_top_cell {
	uint32_t node;			/* index of the node in the picture */
	unsigned int x, width;		/* columns */
	unsigned int depth;		/* line of the cell in the graph; 0: the root */
	uint64_t path;			/* hash of the names on the path (rows.h) */
};

struct pp_top_flame {
	struct pp_top_cell *cells;	/* cells of the graph, in order of depth, then of column */
	size_t nr;
	uint64_t *paths;		/* hash of the path of each node of the picture */
	uint32_t zoom;			/* index of the node that fills the whole width */
};

/* Place the node whose path has the hash @zoom, and the nodes below it, on @columns columns and
 * @lines lines. If there is no such node, place the whole tree. A node narrower than a column is
 * left out. Return 0 or -ENOMEM. */
int pp_top_flame_make(struct pp_top_flame *ret, const struct pp_top_picture *picture, uint64_t zoom,
		      unsigned int columns, unsigned int lines);
void pp_top_flame_release(struct pp_top_flame *flame);

#endif
