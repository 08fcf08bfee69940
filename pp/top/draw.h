/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.h -- draws optop's screen. Only draw.c and screen.c use ncurses.
 */
#ifndef PP_TOP_DRAW_H
#define PP_TOP_DRAW_H

#include <stdbool.h>

#include "pp/top/flame.h"
#include "pp/top/snapshot.h"
#include "pp/top/rows.h"

enum pp_top_when { PP_TOP_NOW, PP_TOP_CLOSED };

struct pp_top_screen {
	struct pp_top_view *view;
	/* the snapshot on the screen: the samples of one second, or of a closed interval */
	const struct pp_top_snapshot *snapshot;
	struct pp_top_rows rows;	/* the lines of the snapshot; unused for a flame graph */
	struct pp_top_flame flame;
	/* index of the selected line, and of the topmost line on the screen */
	size_t selected, first;
	/* flame graph: .cell: hash of the path to the selected node; .zoom: hash of the path to the
	 * node that fills the whole width */
	uint64_t cell, zoom;
	enum pp_top_when when;		/* whether the snapshot is live or of a closed interval */
	bool paused, help;
	bool stopped;			/* the daemon runs, but sampling is stopped */
	bool typing;			/* the user is typing a filter text */
	/* text that describes a problem with the daemon; "": no problem */
	const char *trouble;
};

void pp_top_draw_begin(void);
/* Return the number of screen lines that are available for rows or for a flame graph. */
unsigned int pp_top_draw_lines(void);
/* Return the number of screen columns that are available for rows or for a flame graph. */
unsigned int pp_top_draw_columns(void);
void pp_top_draw(const struct pp_top_screen *s);

#endif
