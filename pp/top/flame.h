/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h -- layout of a snapshot's tree of call paths as a flame graph of character cells.
 */
#ifndef PP_TOP_FLAME_H
#define PP_TOP_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "pp/top/snapshot.h"

/* A cell of the graph, which shows one node. Siblings are sorted by name, so that a node keeps its
 * position while its share of the samples is constant. */
struct pp_top_cell {
	uint32_t node;			/* index of the node in the snapshot's tree */
	unsigned int x, width;		/* .x: first column; .width: number of columns */
	unsigned int depth; /* line of the cell, which is the depth of the node; 0: the root */
	/* hash of the names on the path from the root to the node (rows.h) */
	uint64_t path;
};

struct pp_top_flame {
	struct pp_top_cell *cells;	/* cells of the graph, sorted by depth, then by column */
	size_t nr;
	/* for each node of the snapshot: hash of the names on its path */
	uint64_t *paths;
	uint32_t zoom;			/* index of the node that fills the whole width */
};

/* Lay out the node whose path has the hash @zoom, and its descendants, in @columns columns and
 * @lines lines. If this node does not exist, lay out the whole tree. Omit nodes that are narrower
 * than a column. Return 0 or -ENOMEM. */
int pp_top_flame_make(struct pp_top_flame *ret, const struct pp_top_snapshot *snapshot,
		      uint64_t zoom, unsigned int columns, unsigned int lines);
void pp_top_flame_release(struct pp_top_flame *flame);

#endif
