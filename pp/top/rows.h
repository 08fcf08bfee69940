/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h -- the lines of a view of a snapshot: programs, functions, or the tree of call paths. The
 * user chooses order, filter, and open nodes.
 */
#ifndef PP_TOP_ROWS_H
#define PP_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/top/picture.h"

enum pp_top_by {
	PP_TOP_PROGRAMS,
	PP_TOP_SYMBOLS,
	PP_TOP_PATHS,
	PP_TOP_FLAME,
	PP_TOP_NR_BY,
};

/* Return whether the view shows call paths. */
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

/* Paths of the nodes that the user has opened or closed, as hashes of their names. */
struct pp_top_toggles {
	uint64_t *items;
	size_t nr;
};

struct pp_top_view {
	enum pp_top_by by;
	enum pp_top_order order;
	/* show only lines that contain this text, ignoring case; "": all lines */
	char filter[PP_TOP_FILTER_MAX];
	char *program; /* view of symbols: show only those of this program; NULL: all */
	/* view of paths: nodes that are not in their default state */
	struct pp_top_toggles toggles;
	bool all_open;			/* view of paths: open all nodes */
};

void pp_top_view_release(struct pp_top_view *view);
/* Open a closed node, or close an open one. @path: pp_top_row.path. Return 0 or -ENOMEM. */
int pp_top_view_toggle(struct pp_top_view *view, uint64_t path);

/* A line of the screen. The snapshot owns the strings. */
struct pp_top_row {
	/* samples; in the view of paths, of the node with its descendants */
	uint64_t count;
	uint64_t self;			/* view of paths: samples of the node alone */
	const char *name;
	const char *image;		/* title of the binary, or NULL */
	/* views of programs and paths: title of the program, or NULL */
	const char *program;
	uint64_t path;			/* view of paths: hash of the names on the path */
	uint32_t node;			/* view of paths: index of the node in the snapshot */
	uint16_t depth;
	/* view of paths: .has_more: the node has children; .is_open: they are shown */
	bool has_more, is_open;
};

struct pp_top_rows {
	struct pp_top_row *items;
	size_t nr;
	/* samples of the lines that are not below another line */
	uint64_t shown;
};

/* Make the lines of the screen. Return 0 or -ENOMEM. */
int pp_top_rows_make(struct pp_top_rows *ret, const struct pp_top_picture *picture,
		     const struct pp_top_view *view);
void pp_top_rows_release(struct pp_top_rows *rows);

/* Return the name of a view, such as "symbols". */
const char *pp_top_by_name(enum pp_top_by by);
/* Set *@ret to the view with the name @name. Return false if there is none. */
bool pp_top_by_parse(enum pp_top_by *ret, const char *name);
const char *pp_top_order_name(enum pp_top_order order);

#endif
