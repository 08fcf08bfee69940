// SPDX-License-Identifier: GPL-2.0-or-later
/* view_screen.c -- shows an annotated listing on the terminal, with ncurses. */
#define NCURSES_WIDECHAR 1
#include "config.h"
#include "pp/tool/view_screen.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "pp/tool/restore.h"

#define TAB		8
#define MAX_PATTERN	100
#define STEP		8	/* number of columns by which a key scrolls to the left or right */
/* smallest percentage of a row that is shown as hot, as in the text output */
#define HOT		5.0
#define WARM		0.5
#define SHARE_WIDTH	7	/* width of a percentage, including a blank */
/* minimum width of the screen to show counts and jumps, and to show percentages with a fraction */
#define WIDE		50
#define NARROW		30

enum { PAIR_HOT = 1, PAIR_WARM, PAIR_COOL, PAIR_NAME };

struct screen {
	struct pp_view *view;
	const char *title;
	const char *const *classes;	/* names of the view's classes (such as events) */
	bool color;
	size_t cursor;		/* index of the row on which the cursor is */
	size_t top;		/* index in view->shown of the topmost row on the screen */
	size_t left;		/* number of columns that are scrolled out at the left edge */
	/* row from which the user last followed a jump; PP_VIEW_NONE: no jump was followed */
	size_t back;
	char pattern[MAX_PATTERN];
	const char *message;	/* message for the last line of the screen; NULL: show the keys */
};

static int body_height(void)
{
	return LINES > 2 ? LINES - 2 : 1;
}

/*
 * Print a text of the listing in screen line @y from column @at to the right edge, without the
 * first @skip columns of the text. Print '?' for characters that control the terminal.
 */
static void put_text(int y, int at, const char *text, size_t len, size_t skip)
{
	mbstate_t state = { 0 };
	size_t column = 0;

	for (size_t i = 0, used; i < len; i += used) {
		wchar_t c[2] = { 0 };
		int width;

		used = mbrtowc(c, text + i, len - i, &state);
		if (used == (size_t)-1 || used == (size_t)-2 || !used) {
			memset(&state, 0, sizeof(state));
			used = 1;
			c[0] = L'?';
		}
		if (c[0] == L'\t') {
			column += TAB - column % TAB;
			continue;
		}
		width = wcwidth(c[0]);
		if (width < 1 || !iswprint((wint_t)c[0])) {
			c[0] = L'?';
			width = 1;
		}
		if (column >= skip && (long)(column - skip) + at + width <= COLS)
			mvaddwstr(y, at + (int)(column - skip), c);
		column += (size_t)width;
	}
}

/* Return @count as a percentage of the samples of the whole profile. */
static double share_of(const struct screen *s, uint64_t count)
{
	const uint64_t total = s->view->totals[s->view->chosen];

	return total ? 100.0 * (double)count / (double)total : 0;
}

static int heat(const struct screen *s, uint64_t count)
{
	const double share = share_of(s, count);

	return share >= HOT ? PAIR_HOT : share >= WARM ? PAIR_WARM : PAIR_COOL;
}

static void set_color(const struct screen *s, int pair, bool on)
{
	if (!s->color)
		return;
	if (on)
		attron(COLOR_PAIR(pair) | (pair == PAIR_HOT ? A_BOLD : 0));
	else
		attroff(COLOR_PAIR(pair) | A_BOLD);
}

/* Print the number of samples of a row in screen line @y. Return the number of columns used. */
static int put_counts(const struct screen *s, int y, const struct pp_view_row *row)
{
	const double share = share_of(s, row->count);
	char text[48];
	int width = COLS >= WIDE ? SHARE_WIDTH + 10 : COLS >= NARROW ? SHARE_WIDTH : 5;

	if (!row->count)
		return width;
	if (width > SHARE_WIDTH)
		snprintf(text, sizeof(text), "%9" PRIu64 " %5.2f%% ", row->count, share);
	else
		snprintf(text, sizeof(text), "%*.*f%% ", width - 2, width < SHARE_WIDTH ? 0 : 2,
			 share);
	set_color(s, heat(s, row->count), true);
	mvaddnstr(y, 0, text, width);
	set_color(s, heat(s, row->count), false);
	return width;
}

/* Draw the lanes (lines that show jumps) beside a row with line-drawing characters. */
static void put_lanes(int y, int at, const char *lanes)
{
	for (; *lanes; lanes++, at++) {
		switch (*lanes) {
		case '|':
			mvaddch(y, at, ACS_VLINE);
			break;
		case '-':
			mvaddch(y, at, ACS_HLINE);
			break;
		case ',':
			mvaddch(y, at, ACS_ULCORNER);
			break;
		case '`':
			mvaddch(y, at, ACS_LLCORNER);
			break;
		default:
			mvaddch(y, at, (chtype)(unsigned char)*lanes);
		}
	}
}

static void put_row(const struct screen *s, int y, const struct pp_view_row *row,
		    const struct pp_view_jumps *jumps)
{
	int at = row->kind == PP_VIEW_PLAIN ? 0 : put_counts(s, y, row);

	if (row->kind != PP_VIEW_PLAIN && COLS >= WIDE && jumps) {
		put_lanes(y, at, row->folded ? "+" : jumps->lanes);
		at += PP_VIEW_LANES + 2;
	}
	set_color(s, PAIR_NAME, row->kind == PP_VIEW_FUNCTION);
	if (row->kind == PP_VIEW_SOURCE && !s->color)
		attron(A_BOLD);
	put_text(y, at, row->text, row->len, s->left);
	attroff(A_BOLD);
	if (row->kind == PP_VIEW_FUNCTION)
		set_color(s, PAIR_NAME, false);
}

static void put_line(int y, const char *text)
{
	attron(A_REVERSE);
	mvhline(y, 0, ' ', COLS);
	put_text(y, 0, text, strlen(text), 0);
	attroff(A_REVERSE);
}

/* Print the first line of the screen: the command and, if there are several classes (events), the
 * chosen class. */
static void put_title(const struct screen *s)
{
	char text[512];

	snprintf(text, sizeof(text), "[%zu of %zu: %s] %s", s->view->chosen + 1, s->view->nr_classes,
		 s->classes[s->view->chosen], s->title);
	put_line(0, s->view->nr_classes > 1 ? text : s->title);
}

/* Scroll so that the row with the cursor is on the screen. */
static void scroll_to_cursor(struct screen *s)
{
	const size_t height = (size_t)body_height(), at = pp_view_place(s->view, s->cursor);

	if (s->view->nr_shown)
		s->cursor = s->view->shown[at];
	if (at < s->top || at >= s->top + height)
		s->top = at < height / 3 ? 0 : at - height / 3;
	if (s->top + height > s->view->nr_shown)
		s->top = s->view->nr_shown > height ? s->view->nr_shown - height : 0;
}

static void put_screen(struct screen *s)
{
	static const char keys[] = "q quit  n/p hottest  / search  Enter fold/jump  f fold all  ? help";
	const int height = body_height();
	struct pp_view_jumps *jumps = calloc((size_t)height, sizeof(*jumps));

	erase();
	scroll_to_cursor(s);
	if (LINES > 1)
		put_title(s);
	if (jumps)
		pp_view_draw_jumps(s->view, s->top, (size_t)height, s->cursor, jumps);
	for (int y = 0; y < height && s->top + (size_t)y < s->view->nr_shown; y++) {
		const size_t row = s->view->shown[s->top + (size_t)y];

		if (row == s->cursor) {
			attron(A_REVERSE);
			mvhline(y + (LINES > 1), 0, ' ', COLS);
		}
		put_row(s, y + (LINES > 1), &s->view->rows[row], jumps ? &jumps[y] : NULL);
		attroff(A_REVERSE);
	}
	if (LINES > 2)
		put_line(LINES - 1, s->message ? s->message : keys);
	free(jumps);
	refresh();
}

static void put_help(void)
{
	static const char *const lines[] = {
		"n p     next hottest, previous hottest row",
		"up down PgUp PgDn g G     move",
		"left right     scroll the text",
		"/       search; N next, P previous match",
		"Enter   fold a row's instructions; at a jump, go to its target",
		"Backspace     return from a jump",
		"f       fold or unfold all instructions",
		"e       show the samples of the next event or column",
		"q       quit",
	};

	erase();
	for (int i = 0; i < (int)(sizeof(lines) / sizeof(lines[0])) && i < LINES; i++)
		put_text(i, 0, lines[i], strlen(lines[i]), 0);
	refresh();
	getch();
}

/* Let the user type a search pattern in the last line of the screen. Return false if the user
 * cancelled. */
static bool read_pattern(struct screen *s)
{
	char text[MAX_PATTERN + 1] = "/";
	size_t len = 1;

	for (;;) {
		int key;

		put_line(LINES - 1, text);
		refresh();
		key = getch();
		if (key == ERR || key == 27)
			return false;
		if (key == '\n' || key == '\r' || key == KEY_ENTER)
			break;
		if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
			if (len == 1)
				return false;
			text[--len] = '\0';
		} else if (key >= ' ' && key < 256 && len < MAX_PATTERN - 1) {
			text[len++] = (char)key;
			text[len] = '\0';
		}
	}
	if (len > 1)
		memcpy(s->pattern, text + 1, len);
	return *s->pattern;
}

/* Move the cursor to @row. If the row is folded, unfold it. */
static void move_to(struct screen *s, size_t row)
{
	const size_t fold = row < s->view->nr ? s->view->rows[row].above : PP_VIEW_NONE;

	if (row >= s->view->nr)
		return;
	if (fold != PP_VIEW_NONE && s->view->rows[fold].folded)
		pp_view_fold(s->view, fold, false);
	s->cursor = row;
}

static void search(struct screen *s, bool back)
{
	size_t row = pp_view_search(s->view, s->cursor, s->pattern, back);

	if (row == PP_VIEW_NONE)
		s->message = "no match";
	else
		move_to(s, row);
}

static void enter(struct screen *s)
{
	const struct pp_view_row *row = &s->view->rows[s->cursor];
	size_t fold = pp_view_fold_of(s->view, s->cursor);

	if (row->target != PP_VIEW_NONE) {
		s->back = s->cursor;
		move_to(s, row->target);
	} else if (fold != PP_VIEW_NONE) {
		pp_view_fold(s->view, fold, !s->view->rows[fold].folded);
		s->cursor = fold;
	}
}

static void move_by(struct screen *s, long rows)
{
	long at = (long)pp_view_place(s->view, s->cursor) + rows;

	if (at >= (long)s->view->nr_shown)
		at = (long)s->view->nr_shown - 1;
	s->cursor = s->view->shown[at < 0 ? 0 : at];
}

/* Handle a key that moves the cursor. Return false if the key does not move it. */
static bool handle_move(struct screen *s, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(s, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_by(s, 1);
		break;
	case KEY_PPAGE:
		move_by(s, -body_height());
		break;
	case KEY_NPAGE:
	case ' ':
		move_by(s, body_height());
		break;
	case KEY_HOME:
	case 'g':
		s->cursor = 0;
		break;
	case KEY_END:
	case 'G':
		s->cursor = s->view->nr - 1;
		break;
	case KEY_LEFT:
		s->left -= s->left < STEP ? s->left : STEP;
		break;
	case KEY_RIGHT:
		s->left += STEP;
		break;
	default:
		return false;
	}
	return true;
}

/* Handle a key. Return false if the key ends the view. */
static bool handle_key(struct screen *s, int key)
{
	s->message = NULL;
	if (handle_move(s, key))
		return true;
	switch (key) {
	case ERR:
	case 'q':
	case 'Q':
		return false;
	case 'n':
		move_to(s, pp_view_hot(s->view, s->cursor, 1));
		break;
	case 'p':
		move_to(s, pp_view_hot(s->view, s->cursor, -1));
		break;
	case '/':
		if (read_pattern(s))
			search(s, false);
		break;
	case 'N':
	case 'P':
		search(s, key == 'P');
		break;
	case '\n':
	case '\r':
	case KEY_ENTER:
		enter(s);
		break;
	case KEY_BACKSPACE:
	case 127:
		move_to(s, s->back);
		break;
	case 'f':
		pp_view_fold(s->view, PP_VIEW_NONE, pp_view_has_unfolded(s->view));
		break;
	case 'e':
		pp_view_choose(s->view, (s->view->chosen + 1) % s->view->nr_classes);
		break;
	case '?':
	case 'h':
		put_help();
		break;
	default:
		break;
	}
	return true;
}

bool pp_view_screen_works(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static bool begin_color(bool wanted)
{
	if (!wanted || !has_colors() || start_color() == ERR)
		return false;
	use_default_colors();
	init_pair(PAIR_HOT, COLOR_RED, -1);
	init_pair(PAIR_WARM, COLOR_YELLOW, -1);
	init_pair(PAIR_COOL, COLOR_GREEN, -1);
	init_pair(PAIR_NAME, COLOR_CYAN, -1);
	return true;
}

int pp_view_screen_run(struct pp_view *view, const char *title, const char *const *classes,
		       bool color)
{
	struct screen s = {
		.view = view, .title = title, .classes = classes, .back = PP_VIEW_NONE,
	};
	struct termios modes;
	bool has_modes = !tcgetattr(STDIN_FILENO, &modes);
	SCREEN *terminal;

	if (!view->nr)
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	/* Use newterm(), because initscr() exits the process if the terminal is unknown. */
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return -ENOTTY;
	if (has_modes)
		pp_restore_on_signals(&modes);
	s.color = begin_color(color);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	set_escdelay(25);
	s.cursor = view->nr_hot ? view->hot[0] : 0;
	do
		put_screen(&s);
	while (handle_key(&s, getch()));
	endwin();
	delscreen(terminal);
	return 0;
}
