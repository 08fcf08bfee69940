/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h -- an annotated listing as rows for a terminal: which rows are hot, where instructions
 * jump, and which rows are folded. The rows are made from the text output, so that both agree.
 */
#ifndef PP_TOOL_VIEW_H
#define PP_TOOL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PP_VIEW_NONE	SIZE_MAX	/* index of a row that does not exist */

enum pp_view_kind {
	PP_VIEW_PLAIN,		/* a row of the summary, or a row without text */
	PP_VIEW_SOURCE,		/* a source line, or the name of a file */
	PP_VIEW_FUNCTION,	/* the title of a function's instructions */
	PP_VIEW_INSN,		/* an instruction */
};

struct pp_view_row {
	const char *counts;	/* the columns of counts; NULL: none */
	const char *text;	/* text after the columns of counts, without a NUL at the end */
	size_t len;
	enum pp_view_kind kind;
	/* samples of the chosen class, including those of folded instructions below */
	uint64_t count;
	uint64_t own;		/* samples of the chosen class in the row itself */
	uint64_t address;	/* address of an instruction */
	size_t target;		/* row that the instruction jumps to; PP_VIEW_NONE: none */
	/* row below which the instruction can be folded; PP_VIEW_NONE: none */
	size_t above;
	size_t nr_below;	/* number of instructions that can be folded below the row */
	bool folded;
};

struct pp_view {
	char *text;		/* text of the whole listing */
	struct pp_view_row *rows;
	size_t nr;
	size_t *shown;		/* indices of the rows that are not folded */
	size_t nr_shown;
	/* indices of visible rows with samples, sorted by samples */
	size_t *hot;
	size_t nr_hot;
	/* for each class of samples: samples of the whole profile; owned by the caller */
	const uint64_t *totals;
	size_t nr_classes, chosen;
};

/*
 * Split a listing of @size bytes into rows, and choose the first class. The view owns @text, also
 * on failure. @columns: width of the columns of counts. @assembly: the listing has instructions.
 * @totals: samples of the whole profile in each of @nr_classes classes. Return 0 or -ENOMEM.
 */
int pp_view_init(struct pp_view *view, char *text, size_t size, size_t columns, bool assembly,
		 const uint64_t *totals, size_t nr_classes);
void pp_view_release(struct pp_view *view);	/* @view may be zeroed */

/* Choose the class whose samples are shown and determine which rows are hot. */
void pp_view_choose(struct pp_view *view, size_t class);

/* Fold or unfold the instructions below @row or, for PP_VIEW_NONE, below all rows. */
void pp_view_fold(struct pp_view *view, size_t row, bool fold);
/* Return the row below which the instructions at @row can be folded, or PP_VIEW_NONE. */
size_t pp_view_fold_of(const struct pp_view *view, size_t row);
/* Return whether there are unfolded instructions that can be folded. */
bool pp_view_has_unfolded(const struct pp_view *view);

/* Return the index in view->shown of @row, or of the nearest visible row before it. */
size_t pp_view_place(const struct pp_view *view, size_t row);

/* Return the row that is @steps places after @row in the order of samples (negative: before). If
 * @row has no samples, return the hottest row. Return PP_VIEW_NONE if no row has samples. */
size_t pp_view_hot(const struct pp_view *view, size_t row, int steps);

/* Return the next row after @row, or with @back before it, whose text contains @pattern, ignoring
 * case. Continue at the other end of the listing. Folded rows are searched, too. Return
 * PP_VIEW_NONE if no row matches. */
size_t pp_view_search(const struct pp_view *view, size_t row, const char *pattern, bool back);

/* Lines beside the rows of a screen that show jumps. */

#define PP_VIEW_LANES	3	/* number of jumps that are drawn side by side */

/* Characters in the lanes beside a row: " ", "|"; corners "," (at the top) and "`" (at the bottom);
 * "-" from a corner to the text; ">" at the target. */
struct pp_view_jumps {
	char lanes[PP_VIEW_LANES + 2];
};

/* Draw the lanes of @nr visible rows from view->shown[@first] on to @ret. The jump of row @cursor
 * is drawn first. */
void pp_view_draw_jumps(const struct pp_view *view, size_t first, size_t nr, size_t cursor,
			struct pp_view_jumps *ret);

#endif
