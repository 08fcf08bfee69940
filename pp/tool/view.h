/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h -- an annotated listing as rows for a terminal: which rows are hot, which jump where, and
 * which are folded. The rows are those of the text output, so both always agree.
 */
#ifndef PP_TOOL_VIEW_H
#define PP_TOOL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PP_VIEW_NONE	SIZE_MAX	/* stands for the index of a row that does not exist */

enum pp_view_kind {
	PP_VIEW_PLAIN,		/* a row of the summary, or a row without text */
	PP_VIEW_SOURCE,		/* a source line, or the name of a file */
	PP_VIEW_FUNCTION,	/* the title of a function's instructions */
	PP_VIEW_INSN,		/* an instruction */
};

struct pp_view_row {
	const char *counts;	/* the columns of counts; NULL: none */
	const char *text;	/* text after the columns of counts; not terminated by a NUL */
	size_t len;
	enum pp_view_kind kind;
	/* samples of the chosen class; of a row with folded instructions, their sum */
	uint64_t count;
	uint64_t own;		/* samples of the chosen class in the row itself */
	uint64_t address;	/* address of an instruction */
	size_t target;		/* row to which the instruction jumps; PP_VIEW_NONE: none */
	/* row below which the instruction can be folded; PP_VIEW_NONE: none */
	size_t above;
	size_t nr_below;	/* number of instructions that can be folded below the row */
	bool folded;
};

struct pp_view {
	char *text;		/* the whole text of the listing */
	struct pp_view_row *rows;
	size_t nr;
	size_t *shown;		/* the rows that are not folded, in order */
	size_t nr_shown;
	/* indices of the shown rows that have samples, in order of samples */
	size_t *hot;
	size_t nr_hot;
	/* samples of the whole profile in each class, which the caller owns */
	const uint64_t *totals;
	size_t nr_classes, chosen;
};

/*
 * Split a listing of @size bytes into rows. The view owns @text, also on failure. @columns: the
 * width of the columns of counts. @assembly: the listing has instructions. @totals: samples of the
 * whole profile in each of @nr_classes classes. The first class is chosen. Return 0 or -ENOMEM.
 */
int pp_view_init(struct pp_view *view, char *text, size_t size, size_t columns, bool assembly,
		 const uint64_t *totals, size_t nr_classes);
void pp_view_release(struct pp_view *view);	/* @view may be all zeros */

/* Choose the class whose samples are shown, and by which rows are hot. */
void pp_view_choose(struct pp_view *view, size_t class);

/* Fold or unfold the instructions below @row, or below all rows for PP_VIEW_NONE. */
void pp_view_fold(struct pp_view *view, size_t row, bool fold);
/* Return the row whose instructions are folded together with those of @row, or PP_VIEW_NONE. */
size_t pp_view_fold_of(const struct pp_view *view, size_t row);
/* Return whether any instruction can be folded and is not. */
bool pp_view_has_unfolded(const struct pp_view *view);

/* Return the index in view->shown of @row, or of the last shown row before it. */
size_t pp_view_place(const struct pp_view *view, size_t row);

/* Return the hottest row that is @steps colder than @row (less than 0: hotter), and the hottest row
 * if @row has no samples. Return PP_VIEW_NONE if no row has samples. */
size_t pp_view_hot(const struct pp_view *view, size_t row, int steps);

/* Return the next row after @row, or before it if @back, whose text contains @pattern, ignoring
 * case; search on at the other end. Return PP_VIEW_NONE if there is none. Folded rows are found,
 * too. */
size_t pp_view_search(const struct pp_view *view, size_t row, const char *pattern, bool back);

/* Lines beside the rows of a screen that show jumps. */

#define PP_VIEW_LANES	3	/* number of jumps that are drawn side by side */

/* Characters of a row's lanes: " ", "|", the corners "," (start or end above) and "`", "-" for the
 * way to the text, and ">" at the target. */
struct pp_view_jumps {
	char lanes[PP_VIEW_LANES + 2];
};

/* Set @ret to the lanes of the @nr shown rows from view->shown[@first] on. The jump of row @cursor
 * comes first. */
void pp_view_draw_jumps(const struct pp_view *view, size_t first, size_t nr, size_t cursor,
			struct pp_view_jumps *ret);

#endif
