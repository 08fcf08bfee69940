// SPDX-License-Identifier: GPL-2.0-or-later
/* screen.c -- optop on a terminal: handles keys, and schedules snapshots. */
#include "config.h"
#include "pp/top/screen.h"

#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/hash.h"
#include "pp/tool/restore.h"
#include "pp/top/closed.h"
#include "pp/top/draw.h"

#define KEY_ESCAPE	27
/* time between the start and the first snapshot, in ms */
#define FIRST_MS	250
#define ESCAPE_MS	50
/* time for which a message about closed intervals stays on the screen, in ms */
#define TROUBLE_MS	3000

struct session {
	struct pp_top *top;
	struct pp_top_snapshot live;	/* the last snapshot that is not of a closed interval */
	struct pp_top_screen screen;
	const struct pp_top_options *options;
	/* the closed interval that the screen shows; empty: the screen shows live snapshots */
	struct pp_top_closed closed;
	struct op_reason trouble;	/* reason why a closed interval cannot be shown */
	/* time of the monotonic clock at which .trouble was set, in ms */
	uint64_t trouble_ms;
	/* log that stores the reason of a failure, but does not print it */
	struct pp_log log;
	/* the old filter, restored if the user cancels typing a new one */
	char before[PP_TOP_FILTER_MAX];
	bool quit;
};

/* Make the lines of the screen again, and keep the same line selected. */
static int arrange(struct session *s)
{
	struct pp_top_screen *screen = &s->screen;
	struct pp_top_row was = { 0 };
	unsigned int lines = pp_top_draw_lines();
	int err;

	if (screen->selected && screen->selected < screen->rows.nr)
		was = screen->rows.items[screen->selected];
	pp_top_rows_release(&screen->rows);
	pp_top_flame_release(&screen->flame);
	s->top->wants_paths = pp_top_has_paths(screen->view->by);
	if (s->top->wants_paths && screen->snapshot == &s->live) {
		err = pp_top_add_paths(s->top, &s->live);
		if (err)
			return err;
	}
	if (screen->view->by == PP_TOP_FLAME)
		return pp_top_flame_make(&screen->flame, screen->snapshot, screen->zoom,
					 pp_top_draw_columns(), lines);
	err = pp_top_rows_make(&screen->rows, screen->snapshot, screen->view);
	if (err)
		return err;
	for (size_t i = 0; was.name && i < screen->rows.nr; i++) {
		const struct pp_top_row *row = &screen->rows.items[i];

		if (row->path == was.path && row->name == was.name && row->image == was.image) {
			screen->selected = i;
			break;
		}
	}
	if (screen->selected >= screen->rows.nr)
		screen->selected = screen->rows.nr ? screen->rows.nr - 1 : 0;
	if (screen->first > screen->selected)
		screen->first = screen->selected;
	if (lines && screen->selected >= screen->first + lines)
		screen->first = screen->selected - lines + 1;
	/* A filter may have removed rows. Scroll back so that the rows fill the screen. */
	if (screen->first + lines > screen->rows.nr)
		screen->first = screen->rows.nr > lines ? screen->rows.nr - lines : 0;
	return 0;
}

static int take_snapshot(struct session *s)
{
	struct pp_top_snapshot snapshot;
	int err = pp_top_next(s->top, &snapshot);

	if (err)
		return err;
	/* The rows and cells on the screen still point into the old snapshot, until the caller
	 * makes them again. */
	pp_top_snapshot_release(&s->live);
	s->live = snapshot;
	return 0;
}

static void move_line(struct pp_top_screen *screen, long by)
{
	long at = (long)screen->selected + by, last = (long)screen->rows.nr - 1;

	screen->selected = at < 0 || last < 0 ? 0 : at > last ? last : at;
}

/* Return the selected cell or, if no cell is selected, the first cell. Return NULL if there are no
 * cells. */
static const struct pp_top_cell *selected_cell(const struct pp_top_screen *screen)
{
	for (size_t i = 0; i < screen->flame.nr; i++)
		if (screen->flame.cells[i].path == screen->cell)
			return &screen->flame.cells[i];
	return screen->flame.nr ? &screen->flame.cells[0] : NULL;
}

/* In the flame graph, select the caller of the selected cell (@down < 0), or else the callee with
 * most samples. */
static void move_cell(struct pp_top_screen *screen, int down)
{
	const struct pp_top_node *nodes = screen->snapshot->nodes;
	const struct pp_top_cell *from = selected_cell(screen), *best = NULL;

	if (!from)
		return;
	for (size_t i = 0; i < screen->flame.nr; i++) {
		const struct pp_top_cell *cell = &screen->flame.cells[i];

		if (down < 0 ? from->node && cell->node == nodes[from->node].parent :
		    cell->node && nodes[cell->node].parent == from->node &&
				(!best || nodes[cell->node].total > nodes[best->node].total))
			best = cell;
	}
	screen->cell = best ? best->path : from->path;
}

/* In the flame graph, select the next cell to the left or right in the same line. */
static void move_beside(struct pp_top_screen *screen, int by)
{
	const struct pp_top_cell *from = selected_cell(screen);
	size_t i = from ? (size_t)(from - screen->flame.cells) : 0;

	if (!from || (by < 0 && !i) || (by > 0 && i + 1 >= screen->flame.nr))
		return;
	if (screen->flame.cells[i + by].depth == from->depth)
		screen->cell = screen->flame.cells[i + by].path;
}

static int choose_view(struct pp_top_screen *screen, enum pp_top_by by)
{
	screen->view->by = by;
	screen->selected = screen->first = 0;
	return 0;
}

static int enter(struct session *s)
{
	struct pp_top_screen *screen = &s->screen;
	const struct pp_top_cell *cell = selected_cell(screen);
	const struct pp_top_row *row;

	if (screen->view->by == PP_TOP_FLAME) {
		if (cell)
			screen->zoom = screen->cell = cell->path;
		return 0;
	}
	if (screen->selected >= screen->rows.nr)
		return 0;
	row = &screen->rows.items[screen->selected];
	if (screen->view->by == PP_TOP_PATHS)
		return row->has_more ? pp_top_view_toggle(screen->view, row->path) : 0;
	if (screen->view->by == PP_TOP_PROGRAMS) {
		free(screen->view->program);
		screen->view->program = strdup(row->program);
		return screen->view->program ? choose_view(screen, PP_TOP_SYMBOLS) : -ENOMEM;
	}
	return 0;
}

/* Go back one step: zoom out to the caller, show all programs again, or clear the filter. */
static int go_back(struct session *s)
{
	struct pp_top_screen *screen = &s->screen;
	const struct pp_top_flame *flame = &screen->flame;

	if (screen->view->by == PP_TOP_FLAME && screen->zoom != OP_HASH_BEGIN) {
		screen->cell = screen->zoom;
		screen->zoom = flame->nr ? flame->paths[screen->snapshot->nodes[flame->zoom].parent]
					 : OP_HASH_BEGIN;
	} else if (screen->view->program) {
		free(screen->view->program);
		screen->view->program = NULL;
		return choose_view(screen, PP_TOP_PROGRAMS);
	} else {
		*screen->view->filter = '\0';
	}
	return 0;
}

/* Handle a key while the user types a filter text. */
static void type(struct session *s, int key)
{
	char *filter = s->screen.view->filter;
	size_t len = strlen(filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->screen.typing = false;
	} else if (key == KEY_ESCAPE) {
		strcpy(filter, s->before);
		s->screen.typing = false;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		/* Remove the last character of the filter, which may have several bytes in
		 * UTF-8. */
		while (len && ((unsigned char)filter[--len] & 0xc0) == 0x80)
			;
		filter[len] = '\0';
	} else if (key >= ' ' && key < 256 && len + 1 < PP_TOP_FILTER_MAX) {
		filter[len] = key;
		filter[len + 1] = '\0';
	}
}

/* Return to live snapshots. Exclude samples taken until now from the next snapshot. */
static int show_now(struct session *s)
{
	s->screen.snapshot = &s->live;
	s->screen.when = PP_TOP_NOW;
	pp_top_rows_release(&s->screen.rows);
	pp_top_flame_release(&s->screen.flame);
	pp_top_closed_release(&s->closed);
	pp_top_snapshot_release(&s->live);
	s->live.unit = "samples";
	return pp_top_begin(s->top);
}

/* Show the closed interval before the snapshot on the screen or, with @later, after it. After the
 * last closed interval, return to live snapshots. */
static int show_closed(struct session *s, bool later)
{
	const struct pp_top_follow *f = &s->top->follow;
	bool is_closed = s->screen.when == PP_TOP_CLOSED;
	int64_t begin, end, from = is_closed ? s->closed.begin : INT64_MAX;
	struct pp_top_closed closed;
	int err;

	if (!is_closed && later)
		return 0;
	s->trouble = (struct op_reason){ "" };
	s->trouble_ms = op_now_ms();
	err = pp_top_closed_find(&begin, &end, &s->top->paths, from, later);
	if (err == -ENOENT && later)
		return show_now(s);
	if (err == -ENOENT) {
		op_fail(&s->trouble, err,
			"no %sclosed interval (opcontrol --interval=10m makes intervals)",
			is_closed ? "earlier " : "");
		return 0;
	}
	s->log.error = (struct op_reason){ "" };
	if (!err)
		err = pp_top_closed_open(&closed, &s->top->paths, begin, end,
					 f->nr_events ? f->events[f->event].name : NULL,
					 s->options, &s->log);
	if (err) {
		op_fail(&s->trouble, err, "%s", op_reason_text(&s->log.error, err));
		return err == -ENOMEM ? err : 0;
	}
	pp_top_rows_release(&s->screen.rows);
	pp_top_flame_release(&s->screen.flame);
	pp_top_closed_release(&s->closed);
	s->closed = closed;
	s->screen.snapshot = &s->closed.snapshot;
	s->screen.when = PP_TOP_CLOSED;
	return 0;
}

static void discard(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

static int toggle_pause(struct session *s)
{
	s->screen.paused = !s->screen.paused;
	/* After a pause, exclude samples taken during the pause from the next snapshot. */
	return s->screen.paused ? 0 : pp_top_begin(s->top);
}

static int move_selection(struct session *s, int key)
{
	struct pp_top_screen *screen = &s->screen;
	long page = pp_top_draw_lines();

	if (screen->view->by == PP_TOP_FLAME) {
		if (key == KEY_UP || key == KEY_DOWN)
			move_cell(screen, key == KEY_UP ? -1 : 1);
		return 0;
	}
	switch (key) {
	case KEY_UP:
		move_line(screen, -1);
		break;
	case KEY_DOWN:
		move_line(screen, 1);
		break;
	case KEY_PPAGE:
		move_line(screen, -page);
		break;
	case KEY_NPAGE:
		move_line(screen, page);
		break;
	case KEY_HOME:
		screen->selected = 0;
		break;
	default:
		move_line(screen, screen->rows.nr);
	}
	return 0;
}

/* Execute the command of a key. Return 0 or a negative errno. */
static int handle(struct session *s, int key)
{
	struct pp_top_screen *screen = &s->screen;

	if (screen->help) {
		screen->help = false;
		return 0;
	}
	if (screen->typing) {
		type(s, key);
		return 0;
	}
	switch (key) {
	case 'q':
		s->quit = true;
		return 0;
	case 'h':
		screen->help = true;
		return 0;
	case '1' ... '4':
		return choose_view(screen, key - '1');
	case '\t':
		return choose_view(screen, (screen->view->by + 1) % PP_TOP_NR_BY);
	case 's':
		screen->view->order = (screen->view->order + 1) % PP_TOP_NR_ORDERS;
		return 0;
	case 'e':
		return pp_top_next_event(s->top);
	case ' ':
		return toggle_pause(s);
	case '/':
		strcpy(s->before, screen->view->filter);
		*screen->view->filter = '\0';
		screen->typing = true;
		return 0;
	case '\n':
	case '\r':
	case KEY_ENTER:
		return enter(s);
	case KEY_ESCAPE:
		return go_back(s);
	case KEY_LEFT:
	case KEY_RIGHT:
		return show_closed(s, key == KEY_RIGHT);
	case 'n':
	case 'p':
		if (screen->view->by == PP_TOP_FLAME)
			move_beside(screen, key == 'n' ? 1 : -1);
		return 0;
	case KEY_UP:
	case KEY_DOWN:
	case KEY_PPAGE:
	case KEY_NPAGE:
	case KEY_HOME:
	case KEY_END:
		return move_selection(s, key);
	default:
		return 0;
	}
}

/* Handle the keys that the user presses before the time @until_ms. Return 0 or a negative errno. */
static int wait_for_keys(struct session *s, uint64_t until_ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = op_now_ms();
	int err = 0, key;

	if (poll(&p, 1, until_ms > now ? until_ms - now : 0) < 0 && errno != EINTR)
		return -errno;
	/* The terminal was closed. */
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL)) {
		s->quit = true;
		return 0;
	}
	while (!err && !s->quit && (key = getch()) != ERR) {
		err = handle(s, key);
		/* This key may have selected another view, whose rows the next key needs. */
		if (!err)
			err = arrange(s);
	}
	return err;
}

static int run(struct session *s, const struct pp_top_command *command)
{
	uint64_t step = command->delay * 1000,
		 next = op_now_ms() + (step < FIRST_MS ? step : FIRST_MS);
	long nr = 0;
	int err;

	/* Draw the empty screen before the first read of the files, which may take some time in a
	 * large session. */
	pp_top_draw(&s->screen);
	err = pp_top_begin(s->top);
	while (!err && !s->quit && (!command->nr || nr < command->nr)) {
		s->screen.trouble = *s->trouble.text ? s->trouble.text :
				    s->screen.when == PP_TOP_CLOSED ? "" : s->top->trouble.text;
		s->screen.stopped = s->top->paused;
		err = arrange(s);
		if (err)
			break;
		pp_top_draw(&s->screen);
		err = wait_for_keys(s, next);
		if (err || op_now_ms() < next)
			continue;
		/* If the process was stopped or the terminal was slow, skip the missed
		 * snapshots. */
		next = op_now_ms() - next > step ? op_now_ms() + step : next + step;
		if (op_now_ms() - s->trouble_ms >= TROUBLE_MS)
			s->trouble = (struct op_reason){ "" };
		if (!s->screen.paused && s->screen.when == PP_TOP_NOW) {
			err = take_snapshot(s);
			nr++;
		}
	}
	return err;
}

int pp_top_screen(struct pp_top *top, struct pp_top_command *command, struct pp_log *log)
{
	struct session s = {
		.top = top,
		.options = &command->top,
		.log = { .write = discard },
		.live = { .unit = "samples" },
		.screen = {
			.view = &command->view,
			.trouble = "",
			.cell = OP_HASH_BEGIN,
			.zoom = OP_HASH_BEGIN,
		},
	};
	struct termios modes;
	bool has_modes = !tcgetattr(STDIN_FILENO, &modes);
	SCREEN *terminal = newterm(NULL, stdout, stdin);
	int err;

	if (!terminal)
		return op_fail(&log->error, -ENOTTY,
			       "this terminal is not known: set TERM, or print text with --batch");
	s.screen.snapshot = &s.live;
	if (has_modes)
		pp_restore_on_signals(&modes);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	pp_top_draw_begin();
	err = run(&s, command);
	endwin();
	delscreen(terminal);
	pp_top_rows_release(&s.screen.rows);
	pp_top_flame_release(&s.screen.flame);
	pp_top_closed_release(&s.closed);
	pp_top_snapshot_release(&s.live);
	return err;
}
