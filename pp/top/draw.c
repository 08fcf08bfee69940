// SPDX-License-Identifier: GPL-2.0-or-later
/* draw.c -- draws optop's screen. */
#include "config.h"
#include "pp/top/draw.h"

#include <inttypes.h>
#include <ncurses.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libop/base/hash.h"
#include "pp/top/fit.h"
#include "pp/top/print.h"

/* a screen with fewer lines shows neither the line of column titles nor the line of keys */
#define SMALL_LINES	8

/* minimum width of a flame graph's cell that shows a name, in columns */
#define MIN_NAME	4

/* Colour pairs of a flame graph's cells. */
enum { KERNEL_PAIR = 1, FIRST_PAIR, NR_PAIRS = 4 };

void pp_top_draw_begin(void)
{
	static const short colors[NR_PAIRS] = { COLOR_YELLOW, COLOR_RED, COLOR_GREEN, COLOR_CYAN };

	if (!has_colors())
		return;
	start_color();
	init_pair(KERNEL_PAIR, COLOR_WHITE, COLOR_BLUE);
	for (int i = 0; i < NR_PAIRS; i++)
		init_pair(FIRST_PAIR + i, COLOR_BLACK, colors[i]);
}

static bool is_small(void)
{
	return LINES < SMALL_LINES;
}

/* Return the number of the screen line that shows the first row. */
static int first_line(void)
{
	return is_small() ? 1 : 2;
}

unsigned int pp_top_draw_lines(void)
{
	int lines = LINES - first_line() - !is_small();

	return lines > 0 ? lines : 0;
}

unsigned int pp_top_draw_columns(void)
{
	return COLS > 0 ? COLS : 0;
}

/* Write @text in screen line @y from column @x, at most @columns columns wide. */
static void put(int y, int x, const char *text, int columns)
{
	char buf[PP_TOP_FIT_MAX];

	if (y < 0 || y >= LINES || columns <= 0 || x >= COLS)
		return;
	pp_top_fit(buf, text, columns < COLS - x ? columns : COLS - x);
	mvaddstr(y, x, buf);
}

/* Return whether optop has not made a snapshot yet. */
static bool is_empty(const struct pp_top_screen *s)
{
	return !s->snapshot->end_ms;
}

/* Return a sentence that explains why the screen has neither rows nor cells. */
static const char *why_empty(const struct pp_top_screen *s)
{
	if (is_empty(s))
		return "";
	if (pp_top_has_paths(s->view->by) && !s->snapshot->has_paths)
		return "no call paths: start the daemon with opcontrol --start --callgraph";
	if (s->snapshot->total && s->view->by != PP_TOP_FLAME && *s->view->filter)
		return "no line contains the text of the filter: Esc removes the filter";
	if (s->when == PP_TOP_NOW && s->stopped)
		return "sampling is stopped: opcontrol --start continues";
	return "no samples";
}

static void put_summary(const struct pp_top_screen *s)
{
	time_t begin = s->snapshot->begin_ms / 1000;
	char text[300], line[600], when[64] = "";
	struct tm tm;
	int used;

	if (localtime_r(&begin, &tm))
		strftime(when, sizeof(when), "CLOSED %Y-%m-%d %H:%M:%S to ", &tm);

	if (*s->trouble) {
		attron(A_BOLD);
		put(0, 0, s->trouble, COLS);
		attroff(A_BOLD);
		return;
	}
	snprintf(line, sizeof(line), "%s", s->when == PP_TOP_CLOSED ? when :
		 s->paused ? "PAUSED " : "");
	if (is_empty(s)) {
		put(0, 0, "optop: waiting for the first samples", COLS);
		return;
	}
	/* if the summary is too long for the line, omit its last parts */
	used = strlen(line);
	pp_top_summary(text, sizeof(text), s->snapshot, used + 1 < COLS ? COLS - used : 1);
	snprintf(line + used, sizeof(line) - used, "%s", text);
	put(0, 0, line, COLS);
}

static void put_titles(const struct pp_top_screen *s)
{
	const struct pp_top_view *view = s->view;
	bool of_program = view->program && view->by == PP_TOP_SYMBOLS,
	     is_filtered = *view->filter && view->by != PP_TOP_FLAME;
	char text[600], number[60];

	snprintf(text, sizeof(text), "%10s %7s %s by %s%s%s%s%s", "samples", "%",
		 pp_top_by_name(view->by), pp_top_order_name(view->order),
		 of_program ? " of " : "", of_program ? view->program : "",
		 is_filtered ? ", filter: " : "", is_filtered ? view->filter : "");
	attron(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	put(1, 0, text, COLS);
	if (view->by != PP_TOP_FLAME && s->rows.nr) {
		snprintf(number, sizeof(number), " %zu of %zu", s->selected + 1, s->rows.nr);
		if (strlen(text) + strlen(number) <= (size_t)COLS)
			put(1, COLS - strlen(number), number, COLS);
	}
	attroff(A_REVERSE);
}

static void put_row(const struct pp_top_screen *s, const struct pp_top_row *row, int y)
{
	bool tree = s->view->by == PP_TOP_PATHS, narrow = COLS < 40;
	double all = pp_top_whole(s->snapshot, tree);
	char number[40], name[PP_TOP_FIT_MAX];
	unsigned int at, columns;

	if (narrow)
		snprintf(number, sizeof(number), "%5.1f ", 100 * row->count / all);
	else
		snprintf(number, sizeof(number), "%10" PRIu64 " %7.2f ", row->count,
			 100 * row->count / all);
	put(y, 0, number, COLS);
	at = strlen(number);
	if (tree) {
		unsigned int indent = row->depth * (narrow ? 1 : 2);

		/* limit the indentation of a row, so that names of deep nodes stay on the screen */
		if (indent > (unsigned int)COLS / 2)
			indent = COLS / 2;
		at += indent;
		put(y, at, !row->has_more ? " " : row->is_open ? "-" : "+", 1);
		at += 2;
	}
	columns = (unsigned int)COLS > at ? COLS - at : 0;
	if (row->image && !narrow && s->view->by == PP_TOP_SYMBOLS && columns > 30) {
		const char *base = strrchr(row->image, '/');
		unsigned int used = pp_top_fit(name, row->name, columns - 20);

		mvaddstr(y, at, name);
		put(y, at + used + 2, base && base[1] ? base + 1 : row->image, columns - used - 2);
	} else {
		put(y, at, row->name, columns);
	}
}

static void put_rows(const struct pp_top_screen *s)
{
	unsigned int lines = pp_top_draw_lines();

	for (size_t i = 0; i < lines && s->first + i < s->rows.nr; i++) {
		int y = first_line() + i;

		if (s->first + i == s->selected) {
			attron(A_REVERSE);
			mvhline(y, 0, ' ', COLS);
		}
		put_row(s, &s->rows.items[s->first + i], y);
		attroff(A_REVERSE);
	}
	if (!s->rows.nr && lines)
		put(first_line(), 0, why_empty(s), COLS);
}

static attr_t cell_attributes(const struct pp_top_node *node)
{
	if (!has_colors())
		return 0;
	if (node->is_kernel)
		return COLOR_PAIR(KERNEL_PAIR);
	return COLOR_PAIR(FIRST_PAIR + op_hash_text(OP_HASH_BEGIN, node->name) % NR_PAIRS);
}

static void put_flame(const struct pp_top_screen *s)
{
	const struct pp_top_snapshot *snapshot = s->snapshot;

	for (size_t i = 0; i < s->flame.nr; i++) {
		const struct pp_top_cell *cell = &s->flame.cells[i];
		const struct pp_top_node *node = &snapshot->nodes[cell->node];
		int y = first_line() + cell->depth;
		attr_t cursor = cell->path == s->cell ? A_REVERSE | A_BOLD : 0;
		attr_t look = cell_attributes(node) | cursor;

		attron(look);
		mvhline(y, cell->x, ' ', cell->width);
		/* without colours, draw a bar between adjacent cells */
		if (!has_colors())
			mvaddch(y, cell->x, '|');
		/* omit the name in a narrow cell: one or two letters do not identify a function */
		if (cell->width >= MIN_NAME)
			put(y, cell->x + !has_colors(), node->name, cell->width - !has_colors());
		attroff(look);
	}
	if (!s->flame.nr)
		put(first_line(), 0, why_empty(s), COLS);
}

/* Write the selected node of the flame graph to the last line. Return false if no node is
 * selected. */
static bool put_cell(const struct pp_top_screen *s)
{
	char text[PP_TOP_FIT_MAX];

	for (size_t i = 0; i < s->flame.nr; i++) {
		const struct pp_top_node *node = &s->snapshot->nodes[s->flame.cells[i].node];

		if (s->flame.cells[i].path != s->cell)
			continue;
		snprintf(text, sizeof(text), "%.2f %%, self %.2f %%: %s  %s",
			 100.0 * node->total / s->snapshot->nodes[0].total,
			 100.0 * node->self / s->snapshot->nodes[0].total, node->name,
			 node->image ? node->image : "");
		put(LINES - 1, 0, text, COLS);
		return true;
	}
	return false;
}

static void put_keys(const struct pp_top_screen *s)
{
	/* most important keys first, because the line omits the last keys if they do not fit */
	static const char *const keys[] = {
		"q quit", "h help", "1 programs 2 symbols 3 paths 4 flame", "/ filter", "space pause",
		"s sort", "left right: time", "up down: line",
	};
	unsigned int at = 0;

	if (s->view->by == PP_TOP_FLAME && put_cell(s))
		return;
	attron(A_DIM);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (at + strlen(keys[i]) > (size_t)COLS)
			break;
		put(LINES - 1, at, keys[i], COLS - at);
		at += strlen(keys[i]) + 2;
	}
	attroff(A_DIM);
}

static void put_help(void)
{
	static const char *const lines[] = {
		"optop: keys", "",
		"1 2 3 4     programs, symbols, call paths, flame graph",
		"tab         the next view",
		"up down     select a line; page up, page down, home, end",
		"Enter       programs: show the symbols of the program",
		"            paths: open or close a node; flame: zoom into the node",
		"Esc         go back: from the zoom, the program, the filter",
		"left right  the previous or next closed interval; after the last interval: now",
		"n p         flame: the next or previous node of the same caller",
		"/           type a filter; Enter ends it",
		"s           sort by count, name, image",
		"e           the next event",
		"space       pause, and continue",
		"q           quit",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put(i, 0, lines[i], COLS);
}

void pp_top_draw(const struct pp_top_screen *s)
{
	char text[PP_TOP_FILTER_MAX + 40];

	erase();
	if (s->help) {
		put_help();
		refresh();
		return;
	}
	put_summary(s);
	if (!is_small())
		put_titles(s);
	if (s->view->by == PP_TOP_FLAME)
		put_flame(s);
	else
		put_rows(s);
	if (s->typing) {
		snprintf(text, sizeof(text), "filter: %s_", s->view->filter);
		mvhline(LINES - 1, 0, ' ', COLS);
		put(LINES - 1, 0, text, COLS);
	} else if (!is_small()) {
		put_keys(s);
	}
	refresh();
}
