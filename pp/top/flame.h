/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h -- a snapshot's tree of call paths as a flame graph of character cells.
 */
#ifndef PP_TOP_FLAME_H
#define PP_TOP_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "pp/top/picture.h"

/* A cell of the graph. Children are sorted by name, so that a node stays in its place while its
 * share does not change. */
struct pp_top_cell {
	uint32_t node;			/* index of the node in the snapshot */
	unsigned int x, width;		/* .x: first column; .width: number of columns */
	unsigned int depth;		/* line of the cell; 0: the root */
	uint64_t path;			/* hash of the names on the path (rows.h) */
};

struct pp_top_flame {
	struct pp_top_cell *cells;	/* sorted by depth, then column */
	size_t nr;
	uint64_t *paths;		/* for each node of the snapshot: hash of its path */
	uint32_t zoom;			/* index of the node that fills the width */
};

/* Lay out the node whose path has the hash @zoom, and its descendants, in @columns columns and
 * @lines lines. If no such node exists, lay out the whole tree. Omit nodes narrower than a
 * column. Return 0 or -ENOMEM. */
int pp_top_flame_make(struct pp_top_flame *ret, const struct pp_top_picture *picture, uint64_t zoom,
		      unsigned int columns, unsigned int lines);
void pp_top_flame_release(struct pp_top_flame *flame);

#endif
