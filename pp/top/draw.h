/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.h -- drawing of optop's screen. Only draw.c and screen.c use curses.
 */
#ifndef PP_TOP_DRAW_H
#define PP_TOP_DRAW_H

#include <stdbool.h>

#include "pp/top/flame.h"
#include "pp/top/picture.h"
#include "pp/top/rows.h"

enum pp_top_when { PP_TOP_NOW, PP_TOP_CLOSED };

struct pp_top_screen {
	struct pp_top_view *view;
	const struct pp_top_picture *picture;	/* the picture that the screen shows */
	struct pp_top_rows rows;	/* the lines of the picture; not in a flame graph */
	struct pp_top_flame flame;
	size_t selected, first;		/* the selected line, and the first line on the screen */
	/* flame graph: hashes of the paths to the selected node and to the node that has all
	 * columns */
	uint64_t cell, zoom;
	enum pp_top_when when;		/* the picture shows the present or a closed interval */
	bool paused, help;
	bool stopped;			/* the daemon runs, but sampling is stopped */
	bool typing;			/* the user types the filter */
	const char *trouble;		/* message about a problem of the daemon; "": no problem */
};

void pp_top_draw_begin(void);
/* Return the number of lines that rows, or a flame graph, have on the screen; and of columns. */
unsigned int pp_top_draw_lines(void);
unsigned int pp_top_draw_columns(void);
void pp_top_draw(const struct pp_top_screen *s);

#endif
