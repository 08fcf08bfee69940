/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h -- the lines of a view of a snapshot. A view shows programs, functions, or the tree of
 * call paths. The user chooses the sort order, a filter, and which nodes are open.
 */
#ifndef PP_TOP_ROWS_H
#define PP_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/top/snapshot.h"

enum pp_top_by {
	PP_TOP_PROGRAMS,
	PP_TOP_SYMBOLS,
	PP_TOP_PATHS,
	PP_TOP_FLAME,
	PP_TOP_NR_BY,
};

/* Return whether the view @by shows call paths. */
static inline bool pp_top_has_paths(enum pp_top_by by)
{
	return by == PP_TOP_PATHS || by == PP_TOP_FLAME;
}

enum pp_top_order {
	PP_TOP_BY_COUNT,
	PP_TOP_BY_NAME,
	PP_TOP_BY_IMAGE,
	PP_TOP_NR_ORDERS,
};

#define PP_TOP_FILTER_MAX	128

/* Nodes that the user has opened or closed. A node is identified by a hash of the names on its
 * path. */
struct pp_top_toggles {
	uint64_t *items;
	size_t nr;
};

struct pp_top_view {
	enum pp_top_by by;
	enum pp_top_order order;
	/* text of the filter: show only lines that contain it, ignoring case; "": show all lines */
	char filter[PP_TOP_FILTER_MAX];
	/* only for the view of symbols: show only symbols of this program; NULL: of all programs */
	char *program;
	/* only for the view of call paths: nodes that the user has opened or closed */
	struct pp_top_toggles toggles;
	bool all_open;			/* only for the view of call paths: all nodes are open */
};

void pp_top_view_release(struct pp_top_view *view);
/* Open the node with the path @path (pp_top_row.path) if it is closed, or close it if it is open.
 * Return 0 or -ENOMEM. */
int pp_top_view_toggle(struct pp_top_view *view, uint64_t path);

/* One line of a view. The snapshot owns the strings. */
struct pp_top_row {
	/* number of samples; in the view of call paths: samples of the node and its descendants */
	uint64_t count;
	uint64_t self; /* only in the view of call paths: samples of the node alone */
	const char *name;
	const char *image;		/* title of the binary that the line is about, or NULL */
	/* title of the program in the views of programs and of call paths; else NULL */
	const char *program;
	/* only in the view of call paths: hash of the names on the node's path */
	uint64_t path;
	uint32_t node; /* only in the view of call paths: index of the node in the snapshot */
	uint16_t depth;
	/* only in the view of call paths: .has_more: the node has children; .is_open: the children
	 * are shown */
	bool has_more, is_open;
};

struct pp_top_rows {
	struct pp_top_row *items;
	size_t nr;
	/* number of samples in the outermost lines, which are not inside another line's node */
	uint64_t shown;
};

/* Make the lines of a view of the snapshot @snapshot. Return 0 or -ENOMEM. */
int pp_top_rows_make(struct pp_top_rows *ret, const struct pp_top_snapshot *snapshot,
		     const struct pp_top_view *view);
void pp_top_rows_release(struct pp_top_rows *rows);

/* Return the name of a view, such as "symbols". */
const char *pp_top_by_name(enum pp_top_by by);
/* Set *@ret to the view with the name @name. Return false if no view has this name. */
bool pp_top_by_parse(enum pp_top_by *ret, const char *name);
const char *pp_top_order_name(enum pp_top_order order);

#endif
